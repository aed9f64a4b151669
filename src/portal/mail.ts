// Portal: its mails: plain text, over SMTP.
import type { Transporter } from 'nodemailer';
import { lazy } from '#core/lazy.ts';

export interface Mailer {
  send(to: string, mail: Mail): Promise<void>;
  close(): void;
}

export interface Mail {
  subject: string;
  text: string;
}

const PATIENCE_MS = 15_000;

/** `smtpUrl` may hold a user and a password. */
export function openMailer({ smtpUrl, from }: { smtpUrl: string; from: string }): Mailer {
  const patience = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS };
  let transport: Transporter | undefined;
  const open = lazy(async () => {
    const { createTransport } = await import('nodemailer');
    transport = createTransport({ url: smtpUrl, ...patience });
    return transport;
  });
  return {
    async send(to, { subject, text }) {
      await (await open()).sendMail({ from, to: { name: '', address: to }, subject, text });
    },
    close: () => transport?.close(),
  };
}

const greeting = (name: string) => `Dear ${name},`;

export function invitationMail(name: string, url: string): Mail {
  return {
    subject: 'Your access to Portico',
    text: `${greeting(name)}

you have been given access to Portico, where estate managers see what their clients let them see.
Choose a password here; the link works once, within 7 days:

${url}

If you did not expect this message, you can ignore it.
`,
  };
}

export function resetMail(name: string, url: string): Mail {
  return {
    subject: 'Your password for Portico',
    text: `${greeting(name)}

somebody, you we hope, asked for a new password for Portico. Choose it here; the link works once, within an hour:

${url}

If it was not you, you can ignore this message: your password stays as it is.
`,
  };
}
