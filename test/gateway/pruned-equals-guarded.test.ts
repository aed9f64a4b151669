// Guarantee: the documents that REST runs, pruned to the scopes and unchecked, give what the guarded schema would have.

import fc from 'fast-check';
import {
  type DefinitionNode,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCursors } from '#core/cursor.ts';
import { Refusal } from '#core/errors.ts';
import { ALL_SCOPES, type ScopeSet } from '#core/scopes.ts';
import { openReads } from '#data/replicas.ts';
import { readAdmission } from '#data/repositories/admission.ts';
import { readCursorKey } from '#data/repositories/reference.ts';
import { admitPartner } from '#gateway/admission.ts';
import { createContext, type Platform } from '#gateway/context.ts';
import type { Schemas } from '#gateway/execute.ts';
import { loadReference } from '#gateway/reference.ts';
import { createLimiter } from '#limits/create-limiter.ts';
import { loadDocument } from '#rest-facade/documents.ts';
import { readParameters } from '#rest-facade/parameters.ts';
import { readQuery } from '#rest-facade/query.ts';
import { routes } from '#rest-facade/routes/index.ts';
import { buildSchemas } from '#schema/index.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let platform: Platform;
let schemas: Schemas;
let asset: string;

beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway;
  partner = await makePartner(gateway);
  for (const category of ['PM', 'WT', 'OT']) {
    const verification = JSON.stringify({ status: 'failed', risk_score: 99.5, scans: [] });
    const item = await makeItem(
      database,
      partner.client,
      category === 'OT' ? { category, verification } : { category },
    );
    await furnish(database, partner.client, item);
    asset = item.registryId;
  }
  const limits = createLimiter();
  platform = {
    database,
    reads: await openReads(database, [], 1),
    reference: await loadReference(database),
    cursors: createCursors(await readCursorKey(database)),
    limiter: limits.limiter,
    limiterState: limits.status,
  };
  schemas = buildSchemas();
});
afterAll(async () => {
  platform.reference.close();
  await gateway.stop();
});

const QUERIES: Record<string, string[]> = {
  ListAssets: [
    '',
    '&page_size=1',
    '&include=valuations',
    '&include=documents,valuations',
    '&category=WT',
    '&min_value=1&max_value=99999',
    '&updated_since=2026-01-01T00:00:00Z',
  ],
  GetAsset: ['', '&include=valuations', '&include=documents'],
  ListValuations: ['', '&source=appraisal&page_size=1'],
  ListDocuments: [''],
  GetPortfolioSummary: [''],
};

/** The document without the field at the path of response names; what has nothing left goes with it. */
function without(document: DocumentNode, path: readonly (string | number)[]): DocumentNode {
  const names = path.filter((part) => typeof part === 'string');
  const cut = (set: SelectionSetNode, [name, ...deeper]: string[]): SelectionSetNode | null => {
    const selections = (set.selections as FieldNode[]).flatMap((field) => {
      if ((field.alias ?? field.name).value !== name) return [field];
      const inner = deeper.length === 0 || field.selectionSet === undefined ? null : cut(field.selectionSet, deeper);
      return inner === null ? [] : [{ ...field, selectionSet: inner }];
    });
    return selections.length === 0 ? null : { ...set, selections };
  };
  const definitions = document.definitions.flatMap((definition): DefinitionNode[] => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [definition];
    const selectionSet = cut(definition.selectionSet, names);
    return selectionSet === null ? [] : [{ ...definition, selectionSet }];
  });
  return { ...document, definitions };
}

/** What graphql-js gives over the guarded schema, refused fields taken out one after another; null where all is refused. */
async function guarded(document: DocumentNode, variables: Record<string, unknown>, scopes: ScopeSet): Promise<unknown> {
  const admission = await readAdmission(gateway.database, partner.key.id, partner.client.id, true);
  if (admission?.grant == null) throw new Error('the partner has no grant');
  const principal = admitPartner({ ...admission, grant: { ...admission.grant, scopes } });
  const asked = new Set(['valuations', 'documents'].filter((name) => variables[name] === true));
  for (let left = document; left.definitions.length > 0; ) {
    const contextValue = await createContext(platform, principal);
    const args = { schema: schemas.guarded, document: left, variableValues: variables, contextValue };
    const { data, errors = [] } = (await execute(args)) as ExecutionResult<{ body: unknown }>;
    if (errors.length === 0) return data?.body;
    for (const { originalError, path = [] } of errors) {
      if (!(originalError instanceof Refusal) || originalError.code !== 'insufficient_scope') throw originalError;
      if (path.length === 1 || asked.has(String(path.at(-1)))) return null;
      left = without(left, path);
    }
  }
  return null;
}

const bare = (text: string) => text.replace(/"as_of":"[^"]*"/, '"as_of":"…"').replace(/"next_cursor":"[^"]*"/, '');

describe.each(routes.map((route) => ({ route, name: route.operation })))('$name', ({ route }) => {
  it('answers for any set of scopes as the guarded schema does, fields refused there left out', async () => {
    const document = loadDocument(route.document, schemas).document;
    const path = route.path.replace('{registry_id}', asset);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: ALL_SCOPES }),
        fc.constantFrom(...(QUERIES[route.operation] ?? [])),
        async (scopes, more) => {
          await gateway.database.query({
            text: "update grants set scopes = $1, view_changed_at = '2025-01-01' where id = $2",
            values: [scopes, partner.grant.id],
          });
          const url = `${path}?client_id=${partner.client.id}${more}`;
          const variables = readParameters(route.parameters, readQuery(url), platform.reference.current());
          if (path !== route.path) variables.registryId = asset;
          const wanted = await guarded(document, variables, scopes);
          const response = await partner.get(url.slice('/api/v1'.length).replace(/client_id=[^&]*/, ''));
          if (wanted === null) {
            expect([response.status, response.body.error.code]).toEqual([403, 'insufficient_scope']);
            return;
          }
          const body = route.envelope === 'data' ? { data: wanted } : wanted;
          expect([response.status, bare(response.text)]).toEqual([200, bare(JSON.stringify(body))]);
        },
      ),
      {
        numRuns: 25,
        examples: [...[1, 2, 4, 8, 16, 32, 64].map((scopes) => [scopes, ''] as [number, string]), [ALL_SCOPES, '']],
      },
    );
  });
});
