// Portal: devices on which a person has signed in before, marked by a cookie: attempts by others do not count against
// them. A cookie names the person and the session epoch of the sign-in, and is void once all sessions were ended.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AUTH_PATH } from './auth-paths.ts';

const NAME = 'portico.device';
const DAYS = 400;

export type KnownDevices = ReturnType<typeof createKnownDevices>;

export interface KnownPerson {
  email: string;
  sessionEpoch: number;
}

/** `secret` signs the cookies; `secure` restricts them to HTTPS. */
export function createKnownDevices(secret: string, secure: boolean) {
  const digest = (...parts: string[]) =>
    createHmac('sha256', secret)
      .update(['known device', ...parts].join(' '))
      .digest('base64url')
      .slice(0, 27);
  const personOf = (email: string) => digest('person', email.trim().toLowerCase());
  const isSigned = (person: string, epoch: string, signature: string) =>
    timingSafeEqual(Buffer.from(signature), Buffer.from(digest(person, epoch)));
  /** The first validly signed cookie of this person, or of any person if `wanted` is null. */
  const find = (cookies: string | undefined, wanted: string | null) => {
    for (const [, person = '', epoch = '', signature = ''] of (cookies ?? '').matchAll(COOKIE))
      if ((wanted === null || person === wanted) && isSigned(person, epoch, signature)) return { person, epoch };
    return null;
  };
  return {
    /**
     * A person who has signed in on the device, as an opaque name shared by all of that person's devices; null if none.
     */
    anybody: (cookies: string | undefined): string | null => find(cookies, null)?.person ?? null,
    /** The session epoch of this person's last sign-in on the device; null if there is none. */
    epochOf(cookies: string | undefined, email: string): number | null {
      const found = find(cookies, personOf(email));
      return found === null ? null : Number(found.epoch);
    },
    /** The cookie that marks the device as known. */
    cookie(known: KnownPerson): string {
      const { name, value, attributes } = this.parts(known);
      const { path, maxAge } = attributes;
      return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    },
    /** The same, as parts for the sign-in library. */
    parts({ email, sessionEpoch }: KnownPerson) {
      const [person, epoch] = [personOf(email), String(sessionEpoch)];
      const attributes = { path: AUTH_PATH, maxAge: DAYS * 86_400, httpOnly: true, sameSite: 'lax', secure } as const;
      return { name: `${NAME}.${person}`, value: `${epoch}.${digest(person, epoch)}`, attributes };
    },
  };
}

/** Bounded by the size of a request's headers. */
const COOKIE = /(?:^|; ?)portico\.device\.([\w-]{27})=(\d{1,10})\.([\w-]{27})(?=;|$)/g;
