// An SMTP server that stores the mails it accepts.
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { until } from '#test/support/ports.ts';

export interface Letter {
  from: string;
  to: string[];
  /** Headers and body, with quoted-printable decoded. */
  text: string;
}

export interface PostOffice {
  url: string;
  letters: Letter[];
  /** The reply that refuses mails to an address, such as 450 or `554 5.7.1 no`. */
  refused: Map<string, number | string>;
  /** Recipients for which the server never replies. */
  held: Set<string>;
  /** The recipient of each RCPT command, refused ones included. */
  asked: string[];
  /** Waits for the first mail to this address that contains `about`. */
  letterTo(address: string, about?: string): Promise<Letter>;
  close(): Promise<void>;
}

const CREDENTIALS = { username: 'portico', password: 's3cret' };

/** Accepts mail from clients that authenticate with the credentials in its URL. */
export async function openPostOffice(): Promise<PostOffice> {
  const letters: Letter[] = [];
  const refused = new Map<string, number | string>();
  const held = new Set<string>();
  const asked: string[] = [];
  const server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      const known = username === CREDENTIALS.username && password === CREDENTIALS.password;
      done(known ? null : new Error('invalid credentials'), known ? { user: username } : undefined);
    },
    onRcptTo({ address }, _session, done) {
      asked.push(address);
      if (held.has(address)) return;
      const refusal = refused.get(address);
      if (refusal === undefined) return done(null);
      const [code, ...words] = String(refusal).split(' ');
      const reply = words.length > 0 ? words.join(' ') : `not for ${address}`;
      done(Object.assign(new Error(reply), { responseCode: Number(code) }));
    },
    onData(stream, { envelope }, done) {
      void text(stream).then((written) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        letters.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: decoded(written) });
        done();
      });
    },
  });
  // A sender that is killed resets its connection, which is no failure of the server.
  server.on('error', ({ code }: Error & { code?: string }) => {
    if (code !== 'ECONNRESET') throw new Error(`the mail server failed: ${code}`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  const { port } = server.server.address() as AddressInfo;
  const found = (address: string, about: string) =>
    letters.find((letter) => letter.to.includes(address) && letter.text.includes(about));
  return {
    url: `smtp://${CREDENTIALS.username}:${CREDENTIALS.password}@127.0.0.1:${port}`,
    letters,
    refused,
    held,
    asked,
    async letterTo(address, about = '') {
      await until(
        async () => found(address, about) !== undefined,
        60_000,
        () => new Error(`no letter to ${address}`),
      );
      return found(address, about) as Letter;
    },
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}

/** Decodes quoted-printable. */
const decoded = (written: string) =>
  written
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
