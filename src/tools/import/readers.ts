// Tools: readers for values in files. Each returns the value to store, or the reasons against it.
import { ID_PREFIXES, type IdKind, isId, timeOfId } from '#core/ids.ts';
import { isJsonObject } from '#core/json-object.ts';
import { currencyDecimals, normaliseAmount } from '#core/money.ts';
import { isDate, parseTimestamp, toTimestamp } from '#core/timestamps.ts';
import { normaliseAddress } from '#repositories/input-checks.ts';

/** The reasons why a value cannot be stored. They never repeat the value, which may be private. */
export class Wrong {
  readonly reasons: readonly string[];
  constructor(reasons: string | readonly string[]) {
    this.reasons = [reasons].flat();
  }
}

/** The reasons of a member or an entry, prefixed by its name. */
const reasonsWithin = (name: string, result: unknown): string[] =>
  result instanceof Wrong ? result.reasons.map((reason) => `${name} ${reason}`) : [];

/** Reads a value that is neither absent nor null. Returns the value to store in its JSON form, or a Wrong. */
export type Reader = (value: unknown) => unknown;

const MAX_NAME = 1_000;
const MAX_TEXT = 100_000;

const reader =
  (test: (value: unknown) => boolean, reason: string): Reader =>
  (value) =>
    test(value) ? value : new Wrong(reason);

/** Counts characters like PostgreSQL: those beyond the first 65,536 are two units of a string. */
const isTextUpTo = (value: unknown, max: number): value is string =>
  typeof value === 'string' && (value.length <= max || (value.length <= 2 * max && [...value].length <= max));

/** Text that is not blank, for names and titles. */
export const name = reader(
  (value) => isTextUpTo(value, MAX_NAME) && value.trim() !== '',
  `must be text of 1 to ${MAX_NAME} characters`,
);

export const text = reader((value) => isTextUpTo(value, MAX_TEXT), `must be text of at most ${MAX_TEXT} characters`);

export const email: Reader = (value) =>
  typeof value === 'string' && value.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(value)
    ? normaliseAddress(value)
    : new Wrong('must be an e-mail address');

export const boolean = reader((value) => typeof value === 'boolean', 'must be true or false');

export const id = (kind: IdKind): Reader =>
  reader((value) => typeof value === 'string' && isId(kind, value), `must be an id: ${ID_PREFIXES[kind]}_ and a ULID`);

export const oneOf = (values: readonly string[]): Reader =>
  reader((value) => typeof value === 'string' && values.includes(value), `must be one of ${values.join(', ')}`);

export const wholeNumber = (min: number, max: number): Reader =>
  reader(
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    `must be a whole number from ${min} to ${max}`,
  );

/** A number from 0 to `max` with at most `decimals` decimals, judged by its shortest decimal form, which people write. */
export const decimalNumber = (max: number, decimals: number): Reader => {
  const form = new RegExp(`^\\d+(\\.\\d{1,${decimals}})?$`);
  return reader(
    (value) => typeof value === 'number' && value >= 0 && value <= max && form.test(String(value)),
    `must be a number from 0 to ${max} with at most ${decimals} decimals`,
  );
};

export const timestamp: Reader = (value) =>
  (typeof value === 'string' ? parseTimestamp(value) : null) ?? new Wrong('must be an RFC 3339 timestamp');

export const date = reader(
  (value) => typeof value === 'string' && isDate(value),
  'must be a date YYYY-MM-DD that exists',
);

export const currency = reader(
  (value) => typeof value === 'string' && currencyDecimals(value) !== null,
  'must be an ISO 4217 currency code',
);

/** An amount without its currency. The database checks its decimals, since it knows the currency. */
export const amount = reader(
  (value) => typeof value === 'string' && /^\d{1,20}(\.\d{1,20})?$/.test(value),
  'must be a decimal amount as text, such as "12500.00", and not negative',
);

interface Member {
  read: Reader;
  required?: boolean;
  /** Stored for an absent member; null by default. */
  absent?: unknown;
}

/** An object with these members and no others; the stored value has all of them. */
export const object =
  (members: Record<string, Member>): Reader =>
  (value) => {
    if (!isJsonObject(value)) return new Wrong(`must be an object with ${Object.keys(members).join(', ')}`);
    const unknown = Object.keys(value).filter((member) => !Object.hasOwn(members, member));
    const reasons = unknown.map((member) => `has an unknown member ${JSON.stringify(member)}`);
    const stored: Record<string, unknown> = {};
    for (const [member, { read, required, absent = null }] of Object.entries(members)) {
      const given = value[member] ?? null;
      if (given !== null) stored[member] = read(given);
      else stored[member] = required ? new Wrong('is required') : absent;
      reasons.push(...reasonsWithin(member, stored[member]));
    }
    if (reasons.length > 0) return new Wrong(reasons);
    return stored;
  };

const moneyMembers = object({
  amount: { read: amount, required: true },
  currency: { read: currency, required: true },
});

export const money: Reader = (value) => {
  const read = moneyMembers(value);
  if (read instanceof Wrong) return read;
  const given = read as { amount: string; currency: string };
  const normalised = normaliseAmount(given.amount, given.currency);
  if (normalised !== null) return { ...given, amount: normalised };
  return new Wrong(`amount has more than the ${currencyDecimals(given.currency)} decimals of ${given.currency}`);
};

/** A list whose entries are read by `read`; null entries are errors. */
export const list =
  (read: Reader): Reader =>
  (value) => {
    if (!Array.isArray(value)) return new Wrong('must be a list');
    const entries = value.map((entry) => (entry === null ? new Wrong('must not be null') : read(entry)));
    const reasons = entries.flatMap((entry, at) => reasonsWithin(`[${at}]`, entry));
    return reasons.length === 0 ? entries : new Wrong(reasons);
  };

const LAST_MILLISECOND = Date.parse('9999-12-31T23:59:59.999Z');

/** Time in the id. It is the default of `created_at`, and the same at every import. */
export const creationOf = (id: string): string => toTimestamp(Math.min(timeOfId(id), LAST_MILLISECOND));
