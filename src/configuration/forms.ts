// Configuration: the types of settings, each with its name in the documentation and its parser.
import { readFileSync } from 'node:fs';
import { urlsOfHosts } from '#core/database-url.ts';
import { readIdentityProviders } from '#core/identity-providers.ts';
import { readWitness } from '#core/ledger/witness.ts';
import { isAddressRange } from '#core/networks.ts';
import { readRedisUrl } from '#core/redis-url.ts';

/** Why a text is invalid. It never repeats a text that may be secret. */
export class Fault {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

export interface Form<Value> {
  /** The name of the type in the documentation. */
  type: string;
  read(text: string): Value | Fault;
}

export const text: Form<string> = { type: 'text', read: (given) => given };

export const path: Form<string> = { type: 'path', read: (given) => given };

export const matching = (pattern: RegExp, type: string): Form<string> => ({
  type,
  read: (given) => (pattern.test(given) ? given : new Fault(`"${given}" is not ${type}`)),
});

export const oneOf = <const Value extends string>(...values: readonly Value[]): Form<Value> => ({
  type: values.join(', '),
  read: (given) =>
    values.find((value) => value === given) ?? new Fault(`"${given}" is not one of ${values.join(', ')}`),
});

export const integer = (min: number, max: number): Form<number> => ({
  type: `${min} to ${max}`,
  read: (given) =>
    /^\d{1,9}$/.test(given) && Number(given) >= min && Number(given) <= max
      ? Number(given)
      : new Fault(`"${given}" is not a whole number from ${min} to ${max}`),
});

export const part: Form<number> = {
  type: '0 to 1',
  read: (given) =>
    /^(?:0|1|0?\.\d{1,9}|1\.0+)$/.test(given) ? Number(given) : new Fault(`"${given}" is not a number from 0 to 1`),
};

export const list = <Value>({ type, read }: Form<Value>): Form<Value[]> => ({
  type: `${type}, comma-separated`,
  read(given) {
    const values: Value[] = [];
    for (const part of given.split(',')) {
      const value = read(part.trim());
      if (value instanceof Fault) return value;
      values.push(value);
    }
    return values;
  },
});

const MALFORMED = 'host or port is wrong, or the password has characters such as # and / that must be percent-encoded';

export const url = (...protocols: string[]): Form<string> => {
  const beginnings = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return {
    type: protocols.map((protocol) => `${protocol}//…`).join(' or '),
    read(given) {
      // Without the slashes it would be parsed as a path on another host.
      if (!protocols.some((protocol) => given.toLowerCase().startsWith(`${protocol}//`)))
        return new Fault(`not a URL that begins with ${beginnings}`);
      return URL.canParse(given) ? given : new Fault(`not a valid URL: ${MALFORMED}`);
    },
  };
};

const postgresUrl = url('postgres:', 'postgresql:');

/** One host or several, of which only a primary is used. */
export const databaseUrl: Form<string> = {
  type: postgresUrl.type,
  read(given) {
    const urls = urlsOfHosts(given).map(postgresUrl.read);
    const fault = urls.find((one) => one instanceof Fault);
    if (fault !== undefined) return fault;
    const parameters = URL.parse(String(urls[0]))?.searchParams;
    if (!['read-write', 'primary'].includes(parameters?.get('target_session_attrs') ?? 'read-write'))
      return new Fault('target_session_attrs must be read-write or primary');
    return parameters?.get('host')?.includes(',')
      ? new Fault('several hosts belong before the path, separated by commas')
      : given;
  },
};

export const databaseUrls = list(postgresUrl);

export const redisUrl: Form<string> = {
  type: 'redis://… or rediss://…, also with +cluster or +sentinel',
  read(given) {
    try {
      readRedisUrl(given);
      return given;
    } catch (error) {
      return new Fault((error as Error).message);
    }
  },
};

/** Path of a PEM file; the value is the file's content. */
export const certificates: Form<string> = {
  type: 'path of a PEM file',
  read(given) {
    try {
      const pem = readFileSync(given, 'utf8');
      return pem.includes('-----BEGIN CERTIFICATE-----') ? pem : new Fault(`${given} contains no certificate`);
    } catch (error) {
      return new Fault((error as Error).message);
    }
  },
};

export const origin: Form<string> = {
  type: 'origin',
  read(given) {
    const parsed = URL.parse(given);
    const sound = parsed !== null && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === '';
    return sound && parsed.href === `${parsed.origin}/`
      ? parsed.origin
      : new Fault('not an origin like https://portico.example');
  },
};

export const longSecret: Form<string> = {
  type: '32 characters or more',
  read: (given) => (given.length >= 32 ? given : new Fault('shorter than 32 characters')),
};

/** From a parser that returns what is wrong as a text. */
const parsedBy = <Value extends object>(type: string, parse: (text: string) => Value | string): Form<Value> => ({
  type,
  read(given) {
    const parsed = parse(given);
    return typeof parsed === 'string' ? new Fault(parsed) : parsed;
  },
});

export const identityProviders = parsedBy('JSON list', readIdentityProviders);
export const witness = parsedBy('verifier key and URL with a space between them', readWitness);

export const addressRange: Form<string> = {
  type: 'address or CIDR range',
  read: (given) => (isAddressRange(given) ? given : new Fault(`"${given}" is not an address or CIDR range`)),
};
