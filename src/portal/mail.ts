// Portal: sends mails over SMTP.
import type { Transporter } from 'nodemailer';
import { lazy } from '#core/lazy.ts';
import type { Mail } from './mails/letter.ts';

export interface Mailer {
  /** Throws MailRefused if the mail will never be accepted, and other errors if it may be later. */
  send(to: string, mail: Mail, envelope?: Envelope): Promise<void>;
  close(): void;
}

export interface Envelope {
  /** The same for each attempt, so that a recipient's program recognises a duplicate. */
  messageId?: string;
  /** Address at which one request unsubscribes from such mails (RFC 8058). */
  unsubscribe?: string;
}

/**
 * The recipient or the mail was refused permanently. The cause quotes the server's reply, which may quote the address.
 */
export class MailRefused extends Error {
  override name = 'MailRefused';
}

const PATIENCE_MS = 8_000;

/** `smtpUrl` may contain a user and a password. */
export function openMailer({ smtpUrl, from }: { smtpUrl: string; from: string }): Mailer {
  const patience = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS };
  let transport: Transporter | undefined;
  const open = lazy(async () => {
    const { createTransport } = await import('nodemailer');
    transport = createTransport({ url: smtpUrl, ...patience });
    return transport;
  });
  return {
    async send(to, { subject, text, html }, { messageId, unsubscribe } = {}) {
      const ways = unsubscribe === undefined ? {} : oneClick(unsubscribe);
      const message = {
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        textEncoding: 'quoted-printable' as const,
        headers: { ...AUTOMATIC, ...ways },
        ...(messageId === undefined ? {} : { messageId }),
      };
      await (await open()).sendMail(message).catch((error: unknown) => {
        throw isFinal(error) ? new MailRefused('the mail server refused the mail') : error;
      });
    },
    close: () => transport?.close(),
  };
}

/** Prevents automatic replies, such as out-of-office notices. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };

const oneClick = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

/**
 * Whether the server refuses the recipient or the content permanently. Refusals of us or of our sender are
 * configuration errors and may be retried. That includes missing permission to send, which the server reports for the
 * recipient (5.7.x of RFC 3463).
 */
function isFinal(error: unknown): boolean {
  const { responseCode = 0, code, command, response = '' } = error as Partial<SMTPError>;
  if (responseCode < 500 || responseCode > 599) return false;
  return code === 'EMESSAGE' || (code === 'EENVELOPE' && command === 'RCPT TO' && !/^\d+[ -]5\.7\./.test(response));
}

interface SMTPError {
  responseCode: number;
  code: string;
  command: string;
  /** The reply, starting with its code. */
  response: string;
}

/** Removes the mail server's reply, which may quote the address or the mail, and keeps its code. */
export function withoutReply(error: unknown): Error {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  // Our own errors have neither code.
  if (code === undefined && responseCode === undefined && error instanceof Error) return error;
  return Object.assign(new Error(`the mail could not be sent (${code ?? ''} ${responseCode ?? ''})`), { code });
}
