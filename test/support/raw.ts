// Test support: sends raw bytes, for requests that no HTTP client would send.

import { once } from 'node:events';
import { connect } from 'node:net';
import type { Response } from './scenario.ts';

const PATIENCE_MS = 60_000;

/** Sends the bytes and reads until the server closes; of several responses, `text` contains the later ones. */
export async function raw(url: string, bytes: string | Buffer): Promise<Response> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  await once(socket, 'connect');
  socket.write(bytes);
  await once(socket, 'close');
  return parse(Buffer.concat(chunks).toString('utf8'));
}

function parse(answer: string): Response {
  const end = answer.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = answer.slice(0, end).split('\r\n');
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
  const text = answer.slice(end + 4);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    body: jsonOf(text),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
