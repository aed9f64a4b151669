// HTTP: request bodies. A route reads its body after it has identified the caller.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal } from '#core/errors.ts';
import { toRefusal } from './refusals.ts';
import { MAX_BODY } from './sizes.ts';

/**
 * Throws Refusal `unsupported_media_type` unless the content type is JSON, its charset, if given, UTF-8, and the body is
 * not compressed.
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  const { 'content-type': contentType = '', 'content-encoding': coding = 'identity' } = headers;
  if (coding.toLowerCase() !== 'identity')
    throw new Refusal('unsupported_media_type', { message: 'The body must not be compressed.' });
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (type !== 'application/json' || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8'))
    throw new Refusal('unsupported_media_type');
}

/**
 * Reads the whole body. Throws Refusal `payload_too_large` as soon as the size exceeds the maximum, and
 * `malformed_request` where the connection closes before the body is complete.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new Refusal('payload_too_large', { message: `A body has at most ${maxBytes} bytes.` });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    // Node skips the rest of a body only where nobody began to read it. Unread, it would block the connection.
    request.resume();
    throw error instanceof Refusal ? error : new Refusal('malformed_request', { cause: error });
  }
  return Buffer.concat(chunks);
}

/** Throws Refusal `invalid_body` for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('invalid_body', { message: 'The body is not valid UTF-8.' });
  }
}

/**
 * For requests whose body is ignored: a refusal where it is too large or malformed, or null. The size of a chunked body
 * is only known once it was read.
 */
export async function judgeUselessBody(request: IncomingMessage): Promise<Refusal | null> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) return new Refusal('payload_too_large');
  if (request.headers['transfer-encoding'] === undefined) return null;
  return readBody(request, MAX_BODY).then(() => null, toRefusal);
}
