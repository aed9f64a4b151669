// Gateway: what resolvers get: the caller, the view, the database and per-request loaders.
import type { Cursors } from '#core/cursor.ts';
import type { CarriedItems } from '#core/disclosure.ts';
import { Refusal, refuse } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { isRegistryId } from '#core/ids.ts';
import { type PortfolioView, type Principal, viewOf } from '#core/principal.ts';
import { hasScope, NO_SCOPES, type Scope } from '#core/scopes.ts';
import type { StageTimes } from '#core/stages.ts';
import type { Database, Sql } from '#database/database.ts';
import type { Reads } from '#database/replicas.ts';
import type { LimiterHandle } from '#limits/create-limiter.ts';
import type { Limiter } from '#limits/limiter.ts';
import { type Document, documentsOf } from '#repositories/assets/documents.ts';
import { newestValuations, type Valuation } from '#repositories/assets/valuations.ts';
import type { KeyBounds } from '#repositories/keys/key-settings.ts';
import type { AnswerAs } from '../consent/preview.ts';
import type { ProcessState } from '../operations/process-state.ts';
import type { ReferenceData } from '../reference.ts';
import { Children } from './children.ts';
import { timed, timedDatabase } from './timed-database.ts';

export type LimiterState = ReturnType<LimiterHandle['status']>;

/** What every request of a process shares. */
export interface Platform {
  database: Database;
  /** Where portfolios are read: replicas that have caught up, or the database itself. */
  reads: Reads;
  reference: ReferenceData;
  cursors: Cursors;
  limiter: Limiter;
  /** Where limits are kept right now. */
  limiterState: () => LimiterState;
  /** What this process knows of itself and of what it rests on. */
  processState: () => ProcessState;
  /** What the API answers a partner, to the byte. */
  answerAs: AnswerAs;
  /** Origin at which the API is reached; null: the one that the portal is reached at. */
  apiBaseUrl: string | null;
  /** Whether people are told of things by mail. */
  sendsMail: boolean;
  keyBounds: KeyBounds;
  /** How many a firm may have at a time. */
  maxTestClientsPerFirm: number;
  /** Dates of the API's versions, oldest first. */
  versions: readonly string[];
}

export interface Context extends Omit<Platform, 'reads'> {
  principal: Principal;
  /** The portfolio this request looks at; null where the caller looks at none. */
  view: PortfolioView | null;
  /** Where this request reads the portfolio: everything committed before it was admitted is there. */
  portfolio: Sql;
  /** How many newest valuations each asset of this request wants: one number a request, so that they load together. */
  valuations: (count: number) => Children<Valuation>;
  documents: () => Children<Document>;
  /** Items of the portfolio that the answer carries, by the root field's name in it (disclosed.ts). */
  carried: Map<string, CarriedItems>;
}

/** `times` takes note of how long the request waits for statements. */
export function createContext(platform: Platform, principal: Principal, times?: StageTimes): Context {
  const view = viewOf(principal);
  const database = times === undefined ? platform.database : timedDatabase(platform.database, times);
  const reads = platform.reads.at(view?.position ?? null);
  const portfolio = times === undefined ? reads : timed(reads, times);
  const valuations = new Map<number, Children<Valuation>>();
  let documents: Children<Document> | undefined;
  return {
    ...platform,
    database,
    principal,
    view,
    portfolio,
    carried: new Map(),
    valuations: (count) =>
      getOrInsert(valuations, count, () => new Children((assets) => newestValuations(portfolio, assets, count))),
    documents() {
      documents ??= new Children((assets) => documentsOf(portfolio, assets));
      return documents;
    },
  };
}

/**
 * The view of this client's portfolio. Throws Refusal when the request looks at another client's, or at none; the
 * field's scopes have made sure of the latter before.
 */
export function requireView({ view }: Context, clientId: string): PortfolioView {
  if (view === null || view.clientId !== clientId) throw new Refusal('no_active_grant');
  return view;
}

/** Throws Refusal `insufficient_scope` when an argument is given whose effect would tell what the scopes do not cover. */
export function requireArgumentScopes(
  { view }: Context,
  given: Readonly<Record<string, unknown>>,
  needed: Readonly<Record<string, Scope>>,
): void {
  for (const [argument, scope] of Object.entries(needed)) {
    if (given[argument] === undefined || given[argument] === null) continue;
    if (!hasScope(view?.scopes ?? NO_SCOPES, scope))
      refuse('insufficient_scope', `This filter needs the scope ${scope}.`);
  }
}

/** Runs the look-up where the text can be a registry id at all; anything else is unknown, not malformed. */
export function byRegistryId<Found>(registryId: string, find: () => Promise<Found | null>): Promise<Found | null> {
  return isRegistryId(registryId) ? find() : Promise.resolve(null);
}

/** What was found of an asset, where the view lets it through. Throws Refusal `asset_not_found`, `asset_not_in_grant`. */
export function visible<Found extends { inView: boolean }>(found: Found | null): Found {
  if (found === null) throw new Refusal('asset_not_found');
  if (!found.inView) throw new Refusal('asset_not_in_grant');
  return found;
}

/** The plant store account of the caller. Throws Refusal where it is none. */
export function requireAccount({ principal }: Context): string {
  if (principal.kind !== 'plant_account') throw new Refusal('forbidden');
  return principal.accountId;
}
