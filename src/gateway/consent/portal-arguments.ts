// Gateway: reads arguments about keys and grants into the core's types.
import { type AssetFilter, parseAssetFilter } from '#core/asset-filter.ts';
import { refuseParameter } from '#core/errors.ts';
import { isTimeZone } from '#core/local-days.ts';
import { OUTCOMES, type Outcome } from '#core/outcome.ts';
import { isScope, SCOPES, type ScopeSet, scopeSet } from '#core/scopes.ts';

/**
 * Describes the id argument of mutations that create. With it, a client that lost the response can look the object up,
 * and a repeated request creates it only once.
 */
export const NEW_ID = 'Of the new one, chosen by the caller; not given: any.';

export interface FilterInput {
  type: string;
  categories?: string[] | null | undefined;
  items?: string[] | null | undefined;
  collection?: string | null | undefined;
}

/** Throws Refusal `invalid_parameter`. */
export function readFilter(input: FilterInput): AssetFilter {
  const given = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  const filter = parseAssetFilter(Object.fromEntries(given));
  return typeof filter === 'string' ? refuseParameter('filter', `The filter is not valid: ${filter}.`) : filter;
}

/** Throws Refusal `invalid_parameter`. */
export function readScopes(names: readonly string[]): ScopeSet {
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined || names.length === 0)
    refuseParameter('scopes', `Scopes are one or more of ${SCOPES.join(', ')}.`);
  return scopeSet(names.filter(isScope));
}

export type Given<Value> = Value | null | undefined;

/** The terms of a grant that are given. Throws Refusal `invalid_parameter`. */
export function readTerms(given: { scopes?: Given<string[]>; filter?: Given<FilterInput>; expiresAt?: Given<string> }) {
  const { scopes, filter, expiresAt } = given;
  return {
    scopes: scopes == null ? undefined : readScopes(scopes),
    filter: filter == null ? undefined : readFilter(filter),
    expiresAt: expiresAt ?? undefined,
  };
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 90;

export const DAYS = `1 to ${MAX_DAYS}; ${DEFAULT_DAYS} where not given. Today is one of them.`;

/** Number of days, including today. Throws Refusal `invalid_parameter`. */
export function readDays(wanted: number | null | undefined): number {
  const days = wanted ?? DEFAULT_DAYS;
  if (days >= 1 && days <= MAX_DAYS) return days;
  refuseParameter('days', `"days" is 1 to ${MAX_DAYS}.`);
}

export const ZONE = 'Whose days they are, as Europe/Zurich; those of UTC where not given.';

/** Throws Refusal `invalid_parameter`. */
export function readZone(name: string | null | undefined): string {
  const zone = name ?? 'UTC';
  return isTimeZone(zone) ? zone : refuseParameter('zone', '"zone" is not the name of a time zone.');
}

/** `allowed` is the clients' word for `ok`. Throws Refusal `invalid_parameter`. */
export function readOutcome(text: string | null | undefined): Outcome | null {
  if (text === null || text === undefined) return null;
  return text === 'allowed' ? 'ok' : oneOf('outcome', OUTCOMES, text);
}

/** Trims the text; null where it is missing or empty. */
export function readSearch(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

/** Throws Refusal `invalid_parameter`. */
export function oneOf<Value extends string>(param: string, values: readonly Value[], text: string): Value {
  return values.find((value) => value === text) ?? refuseParameter(param, `"${param}" is one of ${values.join(', ')}.`);
}
