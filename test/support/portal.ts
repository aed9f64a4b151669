// Test support: executes operations of the portal as its endpoint does, prepared and pruned to the scopes of a person.

import { type ExecutionResult, execute as executeAfresh } from 'graphql';
import { createCursors } from '#core/cursor.ts';
import { Refusal } from '#core/errors.ts';
import { createEvents } from '#core/events.ts';
import type { Principal } from '#core/principal.ts';
import type { Database } from '#database/database.ts';
import { openReads } from '#database/replicas.ts';
import { createContext, type Platform } from '#gateway/execution/context.ts';
import { prepareDocument, type Schemas } from '#gateway/execution/execute.ts';
import { loadReference } from '#gateway/reference.ts';
import { createLimiter } from '#limits/create-limiter.ts';
import { readPerson } from '#repositories/admission/principals.ts';
import { readCursorKey } from '#repositories/reference.ts';
import { sharedSchemas } from '#schema/index.ts';
import { openGateway, type PlatformParts } from '#src/open-gateway.ts';
import { VERSIONS } from '#versions/index.ts';
import { requireValid } from './valid-document.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read responses without types.
type Answer = any;

/** Executes a document, whose root field has the alias `body`, as a person. Rejects with the portal's refusal. */
export type Ask = (document: string, variables?: Record<string, unknown>) => Promise<Answer>;

export interface Portal {
  platform: Platform;
  schemas: Schemas;
  /** As this user, who is read anew for each operation. */
  as(userId: string): Ask;
  /** As any other principal. */
  asPrincipal(principal: Principal): Ask;
  /** As `as`, but with the guarded schema, whose results those of pruned documents must equal. */
  guarded(userId: string): Ask;
  close(): void;
}

/** Limits are counted in memory. */
export async function openPortal(database: Database): Promise<Portal> {
  const limits = createLimiter();
  await limits.ready;
  const reference = await loadReference(database);
  const schemas = sharedSchemas();
  const parts: PlatformParts = {
    database,
    reads: await openReads(database, [], 1),
    reference,
    cursors: createCursors(await readCursorKey(database)),
    limiter: limits.limiter,
    limiterState: limits.status,
    processState: () => ({
      startedAt: '2026-01-01T00:00:00.000Z',
      limiter: { since: '2026-01-01T00:00:00.000Z', reason: null },
      records: { waiting: 0, saved: 0 },
      replicas: [],
    }),
    apiBaseUrl: null,
    sendsMail: true,
    maxTestClientsPerFirm: 10,
    keyBounds: { maxKeys: 100, lifetimeDays: null },
  };
  const hooks = { events: createEvents(), traced: false, tellsTimes: false };
  const { platform, gateway } = openGateway(schemas, parts, VERSIONS, hooks);

  const documentOf = (text: string) => {
    requireValid('test', text, schemas.unguarded);
    return prepareDocument('test', text, schemas.unguarded);
  };
  const asPrincipal =
    (principal: Principal): Ask =>
    async (text, variables = {}) =>
      (await gateway.execute(documentOf(text), variables, principal)).body;
  const person = async (userId: string) => {
    const found = await readPerson(database, userId);
    if (found === null) throw new Error(`there is no user ${userId}`);
    return found;
  };

  return {
    platform,
    schemas,
    asPrincipal,
    as: (userId) => async (text, variables) => asPrincipal(await person(userId))(text, variables),
    guarded:
      (userId) =>
      async (text, variables = {}) => {
        const contextValue = await createContext(platform, await person(userId));
        const args = { schema: schemas.guarded, document: documentOf(text).document, variableValues: variables };
        const { data, errors } = (await executeAfresh({ ...args, contextValue })) as ExecutionResult<{ body: unknown }>;
        if (errors?.[0] !== undefined) throw errors[0].originalError ?? errors[0];
        return data?.body;
      },
    close() {
      reference.close();
      limits.close();
    },
  };
}

/** The code with which the operation is refused; throws if it is not refused. */
export async function codeOf(operation: Promise<unknown>): Promise<string> {
  const end = await operation.catch((error: unknown) => error);
  if (end instanceof Refusal) return end.code;
  throw new Error(`expected a refusal, not ${end instanceof Error ? end.stack : JSON.stringify(end)}`);
}
