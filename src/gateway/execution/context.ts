// Gateway: the context of resolvers: the caller, the view, the database and per-request loaders.
import type { Cursors } from '#core/cursor.ts';
import type { CarriedItems } from '#core/disclosure.ts';
import { Refusal } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { isRegistryId } from '#core/ids.ts';
import { type PortfolioView, type Principal, viewOf } from '#core/principal.ts';
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

export type LimiterState = ReturnType<LimiterHandle['status']>;

/** Shared by all requests of a process. */
export interface Platform {
  database: Database;
  /** Reads portfolios from replicas that have caught up, or from the primary. */
  reads: Reads;
  reference: ReferenceData;
  cursors: Cursors;
  limiter: Limiter;
  /** Where limits are decided at present. */
  limiterState: () => LimiterState;
  /** This process's own state and that of its dependencies. */
  processState: () => ProcessState;
  /** The API's exact response to a partner. */
  answerAs: AnswerAs;
  /** Origin of the API; null: the same as the portal's. */
  apiBaseUrl: string | null;
  /** Whether notices are sent by mail. */
  sendsMail: boolean;
  keyBounds: KeyBounds;
  /** Maximum number of a firm's test clients at a time. */
  maxTestClientsPerFirm: number;
  /** Dates of the API's versions, oldest first. */
  versions: readonly string[];
}

export interface Context extends Omit<Platform, 'reads'> {
  principal: Principal;
  /** The portfolio that this request reads; null where it reads none. */
  view: PortfolioView | null;
  /** Where this request reads the portfolio, with everything committed before it was admitted. */
  portfolio: Sql;
  /** Loads the newest `count` valuations of each asset. A request has one count, so that they load together. */
  valuations: (count: number) => Children<Valuation>;
  documents: () => Children<Document>;
  /** Items of the portfolio in the response, by response name of the root field (disclosed.ts). */
  carried: Map<string, CarriedItems>;
}

/** `times` measures how long the request waits for statements. */
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

/** Measures the waits for statements. */
const timed = (sql: Sql, times: StageTimes): Sql => ({
  query: (statement) => times.statement(statement.name ?? 'statement', sql.query(statement)) as never,
});

/** A transaction counts as one wait. */
const timedDatabase = (database: Database, times: StageTimes): Database => ({
  ...database,
  ...timed(database, times),
  connection: (work) => times.statement('connection', database.connection(work)) as never,
  transaction: (work, options) => times.statement('transaction', database.transaction(work, options)) as never,
});

/**
 * The view of this client's portfolio. Throws Refusal when the request reads another client's, or none. The latter is
 * already excluded by the field's scopes.
 */
export function requireView({ view }: Context, clientId: string): PortfolioView {
  if (view === null || view.clientId !== clientId) throw new Refusal('no_active_grant');
  return view;
}

/** Calls `find` only for text in the form of a registry id. Other text is unknown rather than malformed. */
export function byRegistryId<Found>(registryId: string, find: () => Promise<Found | null>): Promise<Found | null> {
  return isRegistryId(registryId) ? find() : Promise.resolve(null);
}

/** The asset found, if it is in the view. Throws Refusal `asset_not_found`, `asset_not_in_grant`. */
export function visible<Found extends { inView: boolean }>(found: Found | null): Found {
  if (found === null) throw new Refusal('asset_not_found');
  if (!found.inView) throw new Refusal('asset_not_in_grant');
  return found;
}

/** The caller's plant store account. Throws Refusal for other callers. */
export function requireAccount({ principal }: Context): string {
  if (principal.kind !== 'plant_account') throw new Refusal('forbidden');
  return principal.accountId;
}
