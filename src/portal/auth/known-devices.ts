// Portal: devices on which somebody has signed in before, told by a cookie: strangers' attempts do not count against them.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AUTH_PATH } from './auth-path.ts';

const NAME = 'portico.device';
const DAYS = 400;

export type KnownDevices = ReturnType<typeof createKnownDevices>;

/** `secret` signs the cookies; `secure`: they travel by HTTPS only. */
export function createKnownDevices(secret: string, secure: boolean) {
  const digest = (...parts: string[]) =>
    createHmac('sha256', secret)
      .update(['known device', ...parts].join(' '))
      .digest('base64url')
      .slice(0, 27);
  const personOf = (email: string) => digest('person', email.trim().toLowerCase());
  const isSigned = (person: string, id: string, signature: string) => {
    const right = digest(person, id);
    return signature.length === right.length && timingSafeEqual(Buffer.from(signature), Buffer.from(right));
  };
  return {
    /** The device where this person, or anybody where `email` is null, has signed in on it; null where not. */
    find({ headers }: Pick<FastifyRequest, 'headers'>, email: string | null): string | null {
      return this.findIn(headers.cookie ?? '', email);
    },
    /** The same, in the text of the header. */
    findIn(cookies: string, email: string | null): string | null {
      const person = email === null ? null : personOf(email);
      for (const [, name = '', id = '', signature = ''] of cookies.matchAll(COOKIE))
        if ((person === null || person === name) && isSigned(name, id, signature)) return id;
      return null;
    },
    /** The cookie by which the device is known from now on. */
    cookie(email: string): string {
      const { name, value, attributes } = this.parts(email);
      const { path, maxAge } = attributes;
      return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    },
    /** The same, for the sign-in library to write. */
    parts(email: string) {
      const [person, id] = [personOf(email), randomBytes(15).toString('base64url')];
      const attributes = { path: AUTH_PATH, maxAge: DAYS * 86_400, httpOnly: true, sameSite: 'lax', secure } as const;
      return { name: `${NAME}.${person}`, value: `${id}.${digest(person, id)}`, attributes };
    },
  };
}

/** A header cannot make the server look at more of them than a request's headers may hold. */
const COOKIE = /(?:^|; ?)portico\.device\.([\w-]{27})=([\w-]{20})\.([\w-]{27})(?=;|$)/g;
