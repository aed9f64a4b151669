// Repositories: requirements for free text, scopes and times from requests.
import { refuseParameter } from '#core/errors.ts';
import { type IdKind, isId, newId } from '#core/ids.ts';
import { ALL_SCOPES, type ScopeSet } from '#core/scopes.ts';
import {
  CONTROL_CHARACTER,
  MAX_ADDRESSEE,
  MAX_EMAIL,
  MAX_NAME,
  MAX_NOTE,
  MAX_PURPOSE,
  MAX_REASON,
} from '#core/text-lengths.ts';
import type { Sql } from '#database/database.ts';
import { readValue } from '#database/rows.ts';

// PostgreSQL stores no NUL.
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n]/u;

/** A line that is not blank. */
function requireLine(value: string, param: string, longest: number): string {
  const sound = value.trim() !== '' && isText(value, longest, CONTROL_CHARACTER);
  return sound
    ? value
    : refuseParameter(param, `"${param}" has 1 to ${longest} characters, none of them a control character.`);
}

export const requireName = (value: string, param: string): string => requireLine(value, param, MAX_NAME);

/** Trimmed and normalised. */
export const requireAddressee = (value: string): string =>
  requireLine(normaliseAddress(value.trim()), 'client', MAX_ADDRESSEE);

/** Trimmed. */
export const requireReason = (value: string): string => requireLine(value.trim(), 'reason', MAX_REASON);

export function requirePurpose(value: string | null): string | null {
  const sound = value === null || isText(value, MAX_PURPOSE, CONTROL_BUT_LINES);
  return sound ? value : refuseParameter('purpose', `"purpose" has at most ${MAX_PURPOSE} characters.`);
}

/** Trimmed; null if empty. */
export function optionalText(
  value: string | null,
  param: string,
  longest: number,
  form: 'line' | 'lines' = 'line',
): string | null {
  const text = value?.trim().replaceAll('\r\n', '\n') ?? '';
  if (text === '') return null;
  const sound = isText(text, longest, form === 'line' ? CONTROL_CHARACTER : CONTROL_BUT_LINES);
  return sound
    ? text
    : refuseParameter(param, `"${param}" has at most ${longest} characters, none of them a control character.`);
}

export const requireNote = (value: string | null): string | null => optionalText(value, 'note', MAX_NOTE, 'lines');

/**
 * The address as stored: unchanged, except that it is lower-cased if it has capitals beyond ASCII. For these, the
 * result of PostgreSQL's `lower()` depends on the database's locale; in the locale C they stay capitals.
 */
export function normaliseAddress(address: string): string {
  const small = address.toLowerCase();
  return address.replace(/[A-Z]/g, (capital) => capital.toLowerCase()) === small ? address : small;
}

/** The normalised address. */
export function requireEmail(value: string): string {
  const [local = '', host = '', ...rest] = value.split('@');
  const sound = local !== '' && host !== '' && rest.length === 0 && !/\s/.test(value);
  return sound && isText(value, MAX_EMAIL, CONTROL_CHARACTER)
    ? normaliseAddress(value)
    : refuseParameter('email', '"email" is not an e-mail address.');
}

export function requireScopes(scopes: ScopeSet): ScopeSet {
  const sound = Number.isInteger(scopes) && scopes >= 1 && scopes <= ALL_SCOPES;
  return sound ? scopes : refuseParameter('scopes', 'At least one scope is needed.');
}

/** Occasion of an override: the reason, in one line, and when it ends by itself; null if it does not. */
export interface Occasion {
  reason: string;
  endsAt: string | null;
}

export async function requireOccasion(sql: Sql, { reason, endsAt }: Occasion): Promise<void> {
  requireReason(reason);
  await requireFuture(sql, endsAt);
}

/** Uses the database's clock, which also decides about expiry. */
export async function requireFuture(sql: Sql, expiresAt: string | null): Promise<void> {
  if (expiresAt === null) return;
  const text = 'select $1::timestamptz > now_ms() as ahead';
  const isAhead = await readValue<boolean>(sql, { text, values: [expiresAt] });
  if (!isAhead) refuseParameter('expires_at', 'The expiry must lie in the future.');
}

/** The given id if its form is valid, or a new one. */
export function givenOrNewId(kind: IdKind, given: string | undefined): string {
  if (given === undefined) return newId(kind);
  return isId(kind, given) ? given : refuseParameter('id', `"${given}" is not the id of a ${kind}.`);
}

function isText(value: string, longest: number, forbidden: RegExp): boolean {
  return [...value].length <= longest && value.isWellFormed() && !forbidden.test(value);
}
