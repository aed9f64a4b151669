// Guarantee: what tools are answered by compiled queries is, to the byte, what the schema that checks every field gives.

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
import { type OutsideDocuments, openDocuments } from '#gateway/execution/documents.ts';
import { Run } from '#gateway/execution/run.ts';
import { authScopesOf } from '#gateway/execution/scopes.ts';
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

/** What the compiled query answers; null where graphql-js has to. */
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

/** Those of a delta hold a snapshot of the whole server, which goes on between two readings. They are longer than any other text. */
const withoutDeltaCursors = (answer: string): string => answer.replace(/"[\w-]{180,}"/g, '"a cursor"');

describe('a generated query', () => {
  it.each([
    ['support', 'as a key', 400],
    ['admin', 'as a key', 100],
    ['ops', 'over limits', 100],
  ] as const)(
    'of %s %s, with any set of scopes, is answered as the guarded schema answers it',
    async (role, what, count) => {
      const vocabulary = what === 'as a key' ? asKey : ofLimits;
      let answered = 0;
      for (let made = 0; made < count; made++) {
        if (made % 10 === 0) await grant(chance.likely(0.6) ? ALL_SCOPES : 1 + chance.below(ALL_SCOPES));
        const principal = await toolOf(role);
        const operation = generateOperation(portal.schemas.guarded, chance, vocabulary);
        if (!isValid(operation)) continue;
        // Again with the same text: what was kept of it answers, too.
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
      // Not everything is refused, or left to graphql-js.
      expect(answered).toBeGreaterThan(count / 5);
    },
  );

  it('of the usual kind is not left to graphql-js', async () => {
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

  it('has the same status, headers and body whichever way its request takes', async () => {
    await grant(ALL_SCOPES);
    for (let made = 0; made < 80; made++) {
      if (made === 60) await grant(3);
      const operation = generateOperation(portal.schemas.guarded, chance, {
        ...asKey,
        maxRoots: 1,
        never: MOMENTARY,
      });
      const ordinary = await graphql(gateway.internalUrl, tokens.support, operation, { actAs: partner.key.id });
      // The same to Yoga, but with a query string it is no ordinary request.
      const other = await call(`${gateway.internalUrl}/graphql?`, tokens.support, {
        method: 'POST',
        version: null,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-Act-As-Key': partner.key.id },
        body: JSON.stringify(operation),
      });
      // Where several fields that cannot be null fail, which of them is told is a matter of which failed first.
      const nothing = [ordinary, other].every(({ text }) => text.endsWith('"data":null}'));
      const varying = ['date', 'x-request-id', 'server-timing', ...(nothing ? ['content-length'] : [])];
      const told = ({ status, headers, text }: typeof other) => [
        status,
        [...headers].filter(([name]) => !varying.includes(name)).sort(),
        nothing ? text.replace(/^\{"errors":\[.+\],/, '') : text,
      ];
      expect(told(ordinary), `seed ${chance.seed}: ${operation.query}`).toEqual(told(other));
    }
  });
});

/** What two requests tell of two moments; a delta's cursors hold that of its first page. */
const MOMENTARY = [
  ...['PortfolioSummary.asOf', 'Sync.asOf'],
  ...['AssetEdge.cursor', 'PageInfo.startCursor', 'PageInfo.endCursor', 'Pagination.nextCursor'],
];

/** Chance may write more than is read, or give a name to two things. */
function isValid({ query }: GeneratedOperation): boolean {
  try {
    return documents.read(query).errors.length === 0;
  } catch {
    return false;
  }
}

/** With every switch the other way: the text stays, its fields change. */
function flipped({ query, variables }: GeneratedOperation): GeneratedOperation {
  const turned = Object.entries(variables).map(([name, value]) => [name, typeof value === 'boolean' ? !value : value]);
  return { query, variables: Object.fromEntries(turned) };
}
