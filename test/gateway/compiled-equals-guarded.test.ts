// Guarantee: compiled queries of tools give the responses of the schema that checks every field, byte for byte.

import { execute, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal, ServiceRole } from '#core/principal.ts';
import { ALL_SCOPES, type ScopeSet } from '#core/scopes.ts';
import { StageTimes } from '#core/stages.ts';
import { openAdmissions } from '#gateway/admission/admission-cache.ts';
import { viewFor } from '#gateway/admission/tools.ts';
import { judge } from '#gateway/execution/bounds.ts';
import { compiledOperation } from '#gateway/execution/compile.ts';
import { createContext } from '#gateway/execution/context.ts';
import { Run } from '#gateway/execution/run.ts';
import { authScopesOf } from '#gateway/execution/scopes.ts';
import { type OutsideDocuments, openDocuments } from '#gateway/execution/tool-documents.ts';
import { Chance } from '#test/guarantees/chance.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { type GeneratedOperation, generateOperation, type Vocabulary } from '#test/support/generated-operation.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { openPortal, type Portal } from '#test/support/portal.ts';
import { call, furnish, makeItem } from '#test/support/scenario.ts';
import { graphql, makeServiceToken } from '#test/support/tools.ts';
import { WHOLE_ASSET, WHOLE_LIST } from '#test/support/whole-asset.ts';

let gateway: TestGateway;
let partner: Partner;
let portal: Portal;
let documents: OutsideDocuments;
let asKey: Vocabulary;
let ofLimits: Vocabulary;
const tokens = { support: '', ops: '', admin: '' };
const chance = new Chance();

beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway;
  partner = await makePartner(gateway);
  const items = [];
  for (const category of ['PM', 'WT', 'OT', 'AR']) {
    const bare = { category, market_value: null, description: null, verification: null };
    const item = await makeItem(database, partner.client, category === 'OT' ? bare : { category });
    if (category !== 'AR') await furnish(database, partner.client, item);
    items.push(item.registryId);
  }
  portal = await openPortal(database);
  documents = openDocuments(portal.schemas.guarded);
  for (const role of ['support', 'ops', 'admin'] as const) tokens[role] = await makeServiceToken(database, role);
  asKey = {
    roots: ['assets', 'asset', 'portfolioSummary', 'valuations', 'documents'],
    maxRoots: 2,
    values: {
      clientId: [partner.client.id],
      registryId: [...items, ...items, 'PTC-WT-01ARZ3NDEKTSV4RRFFQ69G5FAV', 'nonsense'],
      first: [1, 2, 3, 10, 10, 10, null, 0, 101],
      categories: [['WT', 'PM'], 'WT', [], null],
      minValue: ['1', '12500.00', 'x', null],
      maxValue: ['99999999', null],
      updatedSince: ['2020-01-01T00:00:00Z', null],
      since: ['2020-01-01T00:00:00.5Z', null],
      source: ['appraisal', 'nothing'],
      page: [1, 2, 0],
      after: [null, 'nonsense'],
    },
    never: ['PortfolioSummary.asOf'],
  };
  ofLimits = {
    roots: ['limits', 'limit', 'limiterState'],
    maxRoots: 2,
    values: { keyId: [partner.key.id, 'nonsense'] },
    never: ['KeyUsage.used', 'KeyUsage.remaining'],
  };
});
afterAll(async () => {
  portal.close();
  await gateway.stop();
});

const grant = (scopes: ScopeSet) =>
  gateway.database.query({
    text: "update grants set scopes = $1, view_changed_at = '2025-01-01' where id = $2",
    values: [scopes, partner.grant.id],
  });

async function toolOf(role: ServiceRole): Promise<Principal> {
  const service = { kind: 'service', tokenId: 'svc', role, view: null } as const;
  const actAs = role === 'ops' ? undefined : partner.key.id;
  const request = { service, actAsKey: actAs, requestId: 'req', times: new StageTimes(false) };
  return { ...service, view: await viewFor(openAdmissions(gateway.database), request, partner.client.id) };
}

/** The response of the compiled query; null if it is left to graphql-js. */
async function compiled({ query, variables }: GeneratedOperation, principal: Principal): Promise<string | null> {
  const known = documents.read(query);
  const judged = judge(documents.schema, known, { variables }, 100_000);
  if (judged === null || judged.errors !== undefined) return null;
  const made = compiledOperation(portal.schemas.unguarded, known, judged.operation, judged.variables);
  const context = await createContext(portal.platform, principal);
  const granted = authScopesOf(context);
  if (made === null || [...made.scopes].some((scope) => !granted[scope])) return null;
  const data = await new Run(context, judged.variables).data(made.complete).catch(() => null);
  return data === null ? null : JSON.stringify({ data });
}

async function guarded({ query, variables }: GeneratedOperation, principal: Principal): Promise<string> {
  const contextValue = await createContext(portal.platform, principal);
  const schema = portal.schemas.guarded;
  return JSON.stringify(await execute({ schema, document: parse(query), variableValues: variables, contextValue }));
}

/** The cursors of a delta contain a snapshot of the server, which changes between reads. No other text is as long. */
const withoutDeltaCursors = (answer: string): string => answer.replace(/"[\w-]{180,}"/g, '"a cursor"');

describe('a query', () => {
  it.each([
    ['support', 'as a key', 400],
    ['admin', 'as a key', 100],
    ['ops', 'over limits', 100],
  ] as const)(
    'generated for %s %s, with any set of scopes, gets the response of the guarded schema',
    async (role, what, count) => {
      const vocabulary = what === 'as a key' ? asKey : ofLimits;
      let answered = 0;
      for (let made = 0; made < count; made++) {
        if (made % 10 === 0) await grant(chance.likely(0.6) ? ALL_SCOPES : 1 + chance.below(ALL_SCOPES));
        const principal = await toolOf(role);
        const operation = generateOperation(portal.schemas.guarded, chance, vocabulary);
        if (!isValid(operation)) continue;
        // Again with the same text, which is cached by then.
        for (const one of [operation, flipped(operation), operation]) {
          const answer = await compiled(one, principal);
          if (answer === null) continue;
          answered += 1;
          const wanted = withoutDeltaCursors(await guarded(one, principal));
          expect(
            withoutDeltaCursors(answer),
            `seed ${chance.seed}: ${one.query}\n${JSON.stringify(one.variables)}`,
          ).toBe(wanted);
        }
      }
      // Enough operations are neither refused nor left to graphql-js.
      expect(answered).toBeGreaterThan(count / 5);
    },
  );

  it('for whole assets is compiled', async () => {
    await grant(ALL_SCOPES);
    const asset = `query ($client: ID!, $item: String!) { asset(clientId: $client, registryId: $item) { ${WHOLE_ASSET} } }`;
    const variables = { client: partner.client.id, item: asKey.values.registryId?.[0] };
    for (const query of [WHOLE_LIST, asset]) {
      const principal = await toolOf('support');
      const answer = await compiled({ query, variables }, principal);
      expect(answer).toContain('"title"');
      expect(answer).toBe(await guarded({ query, variables }, principal));
    }
  });

  it('gets the same status, headers and body by either path of a request', async () => {
    await grant(ALL_SCOPES);
    for (let made = 0; made < 80; made++) {
      if (made === 60) await grant(3);
      const operation = generateOperation(portal.schemas.guarded, chance, {
        ...asKey,
        maxRoots: 1,
        never: MOMENTARY,
      });
      const fast = await graphql(gateway.internalUrl, tokens.support, operation, { actAs: partner.key.id });
      // The same for Yoga, but the query string excludes it from the fast path.
      const other = await call(`${gateway.internalUrl}/graphql?`, tokens.support, {
        method: 'POST',
        version: null,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-Act-As-Key': partner.key.id },
        body: JSON.stringify(operation),
      });
      // If several non-null fields fail, the response has the error of the one that failed first.
      const nothing = [fast, other].every(({ text }) => JSON.parse(text).data === null);
      const varying = ['date', 'x-request-id', 'server-timing', ...(nothing ? ['content-length'] : [])];
      const comparable = ({ status, headers, text }: typeof other) => [
        status,
        [...headers].filter(([name]) => !varying.includes(name)).sort(),
        nothing ? text.replace(/"errors":\[.+\]/, '') : text,
      ];
      expect(comparable(fast), `seed ${chance.seed}: ${operation.query}`).toEqual(comparable(other));
    }
  });
});

/** Fields that differ between two requests by their moments; the cursors of a delta contain that of its first page. */
const MOMENTARY = [
  ...['PortfolioSummary.asOf', 'Sync.asOf'],
  ...['AssetEdge.cursor', 'PageInfo.startCursor', 'PageInfo.endCursor', 'Pagination.nextCursor'],
];

/** A generated operation may exceed the limits or use a name twice. */
function isValid({ query }: GeneratedOperation): boolean {
  try {
    return documents.read(query).errors.length === 0;
  } catch {
    return false;
  }
}

/** With every boolean variable inverted: the same text selects other fields. */
function flipped({ query, variables }: GeneratedOperation): GeneratedOperation {
  const turned = Object.entries(variables).map(([name, value]) => [name, typeof value === 'boolean' ? !value : value]);
  return { query, variables: Object.fromEntries(turned) };
}
