// Bench: the contestants: how each is started and queried, and which works it supports.
import type { Dialect } from './dialects/dialect.ts';
import { directus } from './dialects/directus.ts';
import { asPartner, asTool } from './dialects/graphql.ts';
import { postgraphile } from './dialects/postgraphile.ts';
import { rest } from './dialects/rest.ts';
import { sofa } from './dialects/sofa.ts';
import { isDirectusInstalled } from './install.ts';

export interface Contestant {
  name: string;
  /** For the report. */
  what: string;
  /** Program relative to this folder, and its arguments. */
  program: string;
  arguments?: string[];
  /** Whether it sends traces to the collector. */
  traced?: boolean;
  /** Whether all of its modules share the product's graphql. */
  productsGraphql?: boolean;
  /** Settings besides DATABASE_URL, REDIS_URL, PORT and INTERNAL_PORT. */
  settings?: Record<string, string>;
  /** Which of the two ports receives the requests. */
  listener: 'PORT' | 'INTERNAL_PORT';
  dialect: Dialect;
  /** Names of works; absent for all. */
  works?: string[];
  /** Left out of quick runs unless it is named. */
  slow?: boolean;
  /** Why it cannot run here; null if it can. */
  absent?: () => string | null;
}

/** Works that REST over a GraphQL library supports without rewriting everything. */
const CORE = ['list', 'list-two-scopes', 'list-includes', 'asset'];

/** The contestant with which all others are compared. */
export const FLOOR = 'floor';
/** The contestant whose answers are the reference for all others. */
export const PRODUCT = 'portico-rest';
/** The product without its cache of responses. */
export const COLD = 'portico-cold';
export const GRAPHQL = 'portico-graphql';

/**
 * Started without Node flags or malloc settings, because it limits its heap by itself. So the measurements hold for any
 * way to start it.
 */
const PORTICO = {
  program: '../src/main.ts',
  arguments: ['serve'],
  settings: { LOG_LEVEL: 'warn', NODE_ENV: 'production', TRUST_PROXY: '127.0.0.1', GRAPHQL_COST_LIMIT: '20000' },
};

export const CONTESTANTS: readonly Contestant[] = [
  {
    name: FLOOR,
    what: 'hand-written Fastify and `pg`, as a good developer writes it: the measure of all others',
    program: 'contestants/floor.ts',
    settings: { NODE_ENV: 'production' },
    listener: 'PORT',
    dialect: rest,
  },
  {
    name: 'expert-floor',
    what: 'the same with every trick: one data statement, timestamps as text, Redis beside the database',
    program: 'contestants/expert-floor.ts',
    settings: { NODE_ENV: 'production' },
    listener: 'PORT',
    dialect: rest,
  },
  {
    name: 'summary-plain',
    what: 'the floor without the covering index: what its sums would cost',
    program: 'contestants/floor.ts',
    settings: { NODE_ENV: 'production', PG_OPTIONS: '-c enable_indexonlyscan=off' },
    listener: 'PORT',
    dialect: rest,
    works: ['summary-10k'],
  },
  { name: PRODUCT, what: 'the product: REST', ...PORTICO, listener: 'PORT', dialect: rest },
  {
    name: COLD,
    what: 'the product: REST, without a response cache',
    ...PORTICO,
    settings: { ...PORTICO.settings, RESPONSE_CACHE_MB: '0' },
    listener: 'PORT',
    dialect: rest,
    slow: true,
    works: [...CORE, 'list-cold', 'includes-cold', 'full-sync', 'first-page-10k', 'deep-page', 'delta'],
  },
  {
    name: 'portico-logged',
    what: 'the product: REST, with the line of log for every request that it writes unless LOG_LEVEL says otherwise',
    ...PORTICO,
    settings: { ...PORTICO.settings, LOG_LEVEL: 'info' },
    listener: 'PORT',
    dialect: rest,
    slow: true,
    works: ['list', 'asset'],
  },
  {
    name: 'portico-traced',
    what: 'the product: REST, the trace of every request sent to a collector',
    ...PORTICO,
    listener: 'PORT',
    dialect: rest,
    traced: true,
    slow: true,
    works: ['list', 'list-cold'],
  },
  {
    name: 'portico-traced-1',
    what: 'the product: REST, the traces of one request in a hundred sent to a collector',
    ...PORTICO,
    settings: { ...PORTICO.settings, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' },
    listener: 'PORT',
    dialect: rest,
    traced: true,
    slow: true,
    works: ['list', 'list-cold'],
  },
  {
    name: GRAPHQL,
    what: 'the product: GraphQL over HTTP for tools, the same documents again and again',
    ...PORTICO,
    listener: 'INTERNAL_PORT',
    dialect: asTool,
    works: CORE,
  },
  {
    name: 'naive',
    what: 'REST over graphql-js, Pothos with scope functions in every field, `em.find` and `em.count`',
    program: 'contestants/naive.ts',
    settings: { NODE_ENV: 'production' },
    productsGraphql: true,
    listener: 'PORT',
    dialect: rest,
    works: CORE,
  },
  {
    name: 'naive-yoga',
    what: 'the same schema over HTTP by Yoga, parsed and validated afresh',
    program: 'contestants/naive-yoga.ts',
    settings: { NODE_ENV: 'production' },
    productsGraphql: true,
    listener: 'PORT',
    dialect: asPartner,
    works: CORE,
  },
  {
    name: 'postgraphile',
    what: 'PostGraphile 5 behind the floor’s key, grant and limit',
    program: 'contestants/postgraphile.ts',
    settings: { NODE_ENV: 'production' },
    listener: 'PORT',
    dialect: postgraphile,
    works: CORE,
  },
  {
    name: 'sofa',
    what: 'sofa-api over the product’s schema, every field checked',
    program: 'contestants/sofa.ts',
    productsGraphql: true,
    settings: { NODE_ENV: 'production' },
    listener: 'PORT',
    dialect: sofa,
    works: ['list', 'asset'],
  },
  {
    name: 'directus',
    what: 'Directus 12 over the same tables, as its administrator',
    program: 'contestants/directus.ts',
    listener: 'PORT',
    dialect: directus,
    works: ['list', 'list-two-scopes', 'asset'],
    slow: true,
    absent: () => (isDirectusInstalled() ? null : 'not installed (--install-directus installs it)'),
  },
];

/**
 * Groups of contestants that run at the same time. Only one process of the product runs at a time, beside the floor:
 * several would share work that is done once for all, such as the ledger, and each would be charged for answers of the
 * others.
 */
export function heatsOf(contestants: readonly Contestant[]): Contestant[][] {
  const others = contestants.filter(({ name, program }) => program === PORTICO.program && name !== PRODUCT);
  const first = contestants.filter((contestant) => !others.includes(contestant));
  const floor = contestants.filter(({ name }) => name === FLOOR);
  return [first, ...others.map((other) => [...floor, other])];
}
