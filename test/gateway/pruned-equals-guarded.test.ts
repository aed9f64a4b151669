// Guarantee: the documents of REST, pruned to the scopes and executed without checks, give the responses of the guarded
// schema.

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
import { Refusal } from '#core/errors.ts';
import { ALL_SCOPES, type ScopeSet } from '#core/scopes.ts';
import { admitPartner } from '#gateway/admission/admission.ts';
import { createContext, type Platform } from '#gateway/execution/context.ts';
import type { Schemas } from '#gateway/execution/execute.ts';
import { readHorizon } from '#repositories/admission/change-log.ts';
import { readParameters } from '#rest-facade/parameters.ts';
import { loadDocument } from '#rest-facade/prepared-documents.ts';
import { readQuery } from '#rest-facade/query.ts';
import { routes } from '#rest-facade/routes/index.ts';
import type { Route } from '#rest-facade/routes/route.ts';
import { Chance } from '#test/guarantees/chance.ts';
import { STEPS, type Stage } from '#test/guarantees/portfolio-steps.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { openPortal, type Portal } from '#test/support/portal.ts';
import { readAdmission } from '#test/support/recorded.ts';
import { sampleQueries } from '#test/support/sample-requests.ts';
import { furnish, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let platform: Platform;
let schemas: Schemas;
let portal: Portal;
let asset: string;
let stage: Stage;
const chance = new Chance();

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
    const { collectionId } = await furnish(database, partner.client, item);
    stage = { clientId: partner.client.id, collections: [collectionId] };
    asset = item.registryId;
  }
  portal = await openPortal(database);
  schemas = portal.schemas;
  ({ platform } = portal);
});
afterAll(async () => {
  portal.close();
  await gateway.stop();
});

/** To be appended to `client_id`. */
const queriesOf = (route: Route) => sampleQueries(route).map((query) => (query === '' ? '' : `&${query}`));

/** The document without the field at the path of response names, and without selections that become empty. */
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

/** The result of graphql-js with the guarded schema, refused fields removed one by one; null if all are refused. */
async function guarded(document: DocumentNode, variables: Record<string, unknown>, scopes: ScopeSet): Promise<unknown> {
  const horizon = await readHorizon(gateway.database);
  const found = await readAdmission(gateway.database, { key: partner.key.id, clientId: partner.client.id });
  if (found?.admission.grant == null) throw new Error('the partner has no grant');
  const { admission, moment } = found;
  const at = { horizon, position: moment.position };
  const principal = admitPartner({ ...admission, grant: { ...found.admission.grant, scopes } }, at);
  const included = new Set(['valuations', 'documents'].filter((name) => variables[name] === true));
  for (let left = document; left.definitions.length > 0; ) {
    const contextValue = await createContext(platform, principal);
    const args = { schema: schemas.guarded, document: left, variableValues: variables, contextValue };
    const { data, errors = [] } = (await execute(args)) as ExecutionResult<{ body: unknown }>;
    if (errors.length === 0) return data?.body;
    for (const { originalError, path = [] } of errors) {
      if (!(originalError instanceof Refusal) || originalError.code !== 'insufficient_scope') throw originalError;
      if (path.length === 1 || included.has(String(path.at(-1)))) return null;
      left = without(left, path);
    }
  }
  return null;
}

const bare = (text: string) => text.replace(/"as_of":"[^"]*"/, '"as_of":"…"').replace(/"next_cursor":"[^"]*"/, '');

describe.each(routes.map((route) => ({ route, name: route.operation })))('$name', ({ route }) => {
  it('gives for each of the 127 sets of scopes what the guarded schema does, less refused fields', async () => {
    const document = loadDocument(route.document, schemas).document;
    const path = route.path.replace('{registry_id}', asset);
    const answers = async (scopes: ScopeSet, more: string) => {
      await gateway.database.query({
        text: "update grants set scopes = $1, view_changed_at = '2025-01-01' where id = $2",
        values: [scopes, partner.grant.id],
      });
      const url = `${path}?client_id=${partner.client.id}${more}`;
      const variables = readParameters(route.parameters, readQuery(url), platform.reference.current());
      if (path !== route.path) variables.registryId = asset;
      const wanted = await guarded(document, variables, scopes);
      const response = await partner.get(url.slice('/api/v1'.length).replace(/client_id=[^&]*/, ''));
      const body = route.envelope === 'data' ? { data: wanted } : wanted;
      const where = `scopes ${scopes}${more}, seed ${chance.seed}`;
      if (wanted === null)
        expect([response.status, response.body.error.code], where).toEqual([403, 'insufficient_scope']);
      else expect([response.status, bare(response.text)], where).toEqual([200, bare(JSON.stringify(body))]);
    };
    for (let scopes = 1; scopes <= ALL_SCOPES; scopes++) {
      if (scopes % 8 === 0) await gateway.database.transaction((sql) => chance.pick(STEPS)(sql, stage, chance));
      await answers(scopes, chance.pick(queriesOf(route)));
    }
    for (const more of queriesOf(route)) await answers(ALL_SCOPES, more);
  });
});
