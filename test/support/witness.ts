// Test support: a witness (C2SP tlog-witness) with its own checks of proofs, which a test can make misbehave.
import { createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestWitness {
  name: string;
  /** The value for LEDGER_WITNESSES: verifier key and URL. */
  setting: string;
  /** The last cosigned checkpoint by origin. */
  seen: Map<string, Seen>;
  /** The bodies of all requests. */
  asked: string[];
  /** Answers requests instead of the witness. */
  misbehave: ((body: string, response: ServerResponse) => void) | null;
  /** The line with the cosignature of a checkpoint; `at` in Unix seconds. */
  cosign(checkpoint: string, at?: number): string;
  close(): Promise<void>;
}

interface Seen {
  size: number;
  root: Buffer;
}

/** `logKey` is the verifier key of the only log that it accepts. */
export async function startWitness(name: string, logKey: string): Promise<TestWitness> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const material = Buffer.concat([Buffer.of(4), rawKey(publicKey)]);
  const id = Buffer.from(hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), material]), 'buffer')).subarray(0, 4);
  const server = createServer((request, response) => void serve(request, response));
  const witness: TestWitness = {
    ...{ name, setting: '', seen: new Map(), asked: [], misbehave: null },
    cosign(checkpoint, at = Math.floor(Date.now() / 1_000)) {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(at));
      const text = checkpoint.slice(0, checkpoint.lastIndexOf('\n\n') + 1);
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${at}\n${text}`), privateKey);
      return `— ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const bytes of request) body += bytes;
    witness.asked.push(body);
    if (witness.misbehave !== null) return witness.misbehave(body, response);
    const { status, text, type = 'text/plain' } = judge(body, logKey, witness.seen);
    const answer = text ?? witness.cosign(body.slice(body.indexOf('\n\n') + 2));
    response.writeHead(request.url === '/w/add-checkpoint' ? status : 404, { 'Content-Type': type }).end(answer);
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/w`;
  witness.setting = `${name}+${id.toString('hex')}+${material.toString('base64')} ${url}`;
  return witness;
}

const rawKey = (key: KeyObject) => Buffer.from((key.export({ format: 'jwk' }) as { x: string }).x, 'base64url');

/** The checks of the protocol, in its order. Without `text`, the checkpoint may be cosigned. */
function judge(
  body: string,
  logKey: string,
  seen: Map<string, Seen>,
): { status: number; text?: string; type?: string } {
  const middle = body.indexOf('\n\n');
  const [oldLine = '', ...proofLines] = body.slice(0, middle).split('\n');
  const [text, signatures] = splitNote(body.slice(middle + 2));
  const [origin = '', sizeText, rootText = ''] = text.split('\n');
  const [logName, logId = '', logMaterial = ''] = logKey.split('+', 2).concat(logKey.split('+').slice(2).join('+'));
  if (origin !== logName) return { status: 404, text: 'unknown log' };
  const signed = signatures.some(([name, bytes]) => {
    if (name !== logName || bytes.subarray(0, 4).toString('hex') !== logId) return false;
    const x = Buffer.from(logMaterial, 'base64').subarray(1).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, bytes.subarray(4));
  });
  if (!signed) return { status: 403, text: 'not signed' };
  const old = /^old (0|[1-9]\d*)$/.exec(oldLine)?.[1];
  const size = Number(sizeText);
  if (old === undefined || Number(old) > size) return { status: 400, text: 'bad size' };
  const before = seen.get(origin) ?? { size: 0, root: Buffer.alloc(0) };
  if (Number(old) !== before.size) return { status: 409, text: `${before.size}\n`, type: 'text/x.tlog.size' };
  const root = Buffer.from(rootText, 'base64');
  const proof = proofLines.map((line) => Buffer.from(line, 'base64'));
  if (!continues(before, { size, root }, proof)) return { status: 422, text: 'no continuation' };
  seen.set(origin, { size, root });
  return { status: 200 };
}

function splitNote(note: string): [text: string, signatures: [string, Buffer][]] {
  const end = note.lastIndexOf('\n\n');
  const lines = note
    .slice(end + 2)
    .trimEnd()
    .split('\n');
  const signatures = lines.map((line): [string, Buffer] => {
    const [, name = '', data = ''] = line.split(' ');
    return [name, Buffer.from(data, 'base64')];
  });
  return [note.slice(0, end + 1), signatures];
}

const node = (left: Buffer, right: Buffer) => hash('sha256', Buffer.concat([Buffer.of(1), left, right]), 'buffer');

/** Verifies a consistency proof by the recursion of RFC 6962, section 2.1.2. */
function continues(before: Seen, after: Seen, proof: readonly Buffer[]): boolean {
  if (before.size === 0) return proof.length === 0;
  if (before.size === after.size) return proof.length === 0 && before.root.equals(after.root);
  const left = [...proof];
  /** Both roots of a range of `n` leaves, of which the older tree has the first `m`. */
  const roots = (m: number, n: number, isWhole: boolean): [older: Buffer, newer: Buffer] => {
    if (m === n) {
      const root = isWhole ? before.root : left.shift();
      if (root === undefined) throw new Error('the proof is too short');
      return [root, root];
    }
    let power = 1;
    while (power * 2 < n) power *= 2;
    const [older, newer] = m <= power ? roots(m, power, isWhole) : roots(m - power, n - power, false);
    const sibling = left.shift();
    if (sibling === undefined) throw new Error('the proof is too short');
    return m <= power ? [older, node(newer, sibling)] : [node(sibling, older), node(sibling, newer)];
  };
  try {
    const [older, newer] = roots(before.size, after.size, true);
    return left.length === 0 && older.equals(before.root) && newer.equals(after.root);
  } catch {
    return false;
  }
}
