// Portal: devices on which somebody has signed in before, told by a cookie: strangers' attempts do not count against them.
// A cookie says whose device it is and in which epoch of their sessions that was: it is of no use once all of them were ended.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AUTH_PATH } from './auth-path.ts';

const NAME = 'portico.device';
const DAYS = 400;

export type KnownDevices = ReturnType<typeof createKnownDevices>;

export interface KnownPerson {
  email: string;
  sessionEpoch: number;
}

/** `secret` signs the cookies; `secure`: they travel by HTTPS only. */
export function createKnownDevices(secret: string, secure: boolean) {
  const digest = (...parts: string[]) =>
    createHmac('sha256', secret)
      .update(['known device', ...parts].join(' '))
      .digest('base64url')
      .slice(0, 27);
  const personOf = (email: string) => digest('person', email.trim().toLowerCase());
  const isSigned = (person: string, epoch: string, signature: string) =>
    timingSafeEqual(Buffer.from(signature), Buffer.from(digest(person, epoch)));
  /** The first of this person's cookies that we signed, or of anybody's where `wanted` is null. */
  const find = (cookies: string | undefined, wanted: string | null) => {
    for (const [, person = '', epoch = '', signature = ''] of (cookies ?? '').matchAll(COOKIE))
      if ((wanted === null || person === wanted) && isSigned(person, epoch, signature)) return { person, epoch };
    return null;
  };
  return {
    /** Somebody who has signed in on the device, by a name that stands for their devices together; null where nobody has. */
    anybody: (cookies: string | undefined): string | null => find(cookies, null)?.person ?? null,
    /** The epoch in which this person last signed in on the device; null where they have not. */
    epochOf(cookies: string | undefined, email: string): number | null {
      const found = find(cookies, personOf(email));
      return found === null ? null : Number(found.epoch);
    },
    /** The cookie by which the device is known from now on. */
    cookie(known: KnownPerson): string {
      const { name, value, attributes } = this.parts(known);
      const { path, maxAge } = attributes;
      return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    },
    /** The same, for the sign-in library to write. */
    parts({ email, sessionEpoch }: KnownPerson) {
      const [person, epoch] = [personOf(email), String(sessionEpoch)];
      const attributes = { path: AUTH_PATH, maxAge: DAYS * 86_400, httpOnly: true, sameSite: 'lax', secure } as const;
      return { name: `${NAME}.${person}`, value: `${epoch}.${digest(person, epoch)}`, attributes };
    },
  };
}

/** A header cannot make the server look at more of them than a request's headers may hold. */
const COOKIE = /(?:^|; ?)portico\.device\.([\w-]{27})=(\d{1,10})\.([\w-]{27})(?=;|$)/g;
