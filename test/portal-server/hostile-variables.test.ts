// Risk: variables that no page would send are answered as a failure of ours.
import { readFileSync } from 'node:fs';
import { type GraphQLInputType, isInputObjectType, isListType, isNonNullType, Kind, parse, typeFromAST } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId, registryId } from '#core/ids.ts';
import { sharedSchemas } from '#schema/index.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import type { Browser } from './browser.ts';
import { makeMember, makeOperator, makeOwner, signedIn } from './people.ts';

const manifest = new URL('../../portal/operations.json', import.meta.url);
const operations: Record<string, string> = JSON.parse(readFileSync(manifest, 'utf8'));

let gateway: TestGateway;
let people: Record<string, Browser>;
/** Of what there is, and of what there is not. */
let ids: string[];
beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway;
  const firm = await makeFirm(database);
  const key = await makeKey(database, firm);
  const client = await makeOwner(database);
  const item = await makeItem(database, client);
  const grant = await makeGrant(database, key, client);
  ids = [key.id, grant.id, client.id, firm.id, item.registryId, newId('key'), registryId('PTC', 'WT', newId('item'))];
  people = {
    member: await signedIn(gateway.url, await makeMember(database, firm)),
    client: await signedIn(gateway.url, client),
    operator: await signedIn(gateway.url, await makeOperator(database)),
  };
});
afterAll(() => gateway.stop());

const TEXTS = ['', '\0', '\ud800', 'é'.repeat(400), "' or 1=1 --", '__proto__', '-1', '%00', 'all', 'items'];
const TIMES = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-01-01T00:00:00.0000001+23:59'];
const NUMBERS = [-2_147_483_648, -1, 0, 1, 1_000, 2_147_483_647];
const FILTER_TYPES = ['category', 'items', 'collection'];

/** The `nth` value of the type. */
function valueFor(type: GraphQLInputType, nth: number): unknown {
  const pick = <Value>(values: readonly Value[]) => values[nth % values.length];
  if (isNonNullType(type)) return valueFor(type.ofType, nth);
  if (isListType(type)) return nth % 4 === 3 ? [] : [valueFor(type.ofType, nth), valueFor(type.ofType, nth + 1)];
  if (isInputObjectType(type)) {
    const fields = Object.entries(type.getFields()).map(([name, field], at) => [name, valueFor(field.type, nth + at)]);
    // Every second one is a filter of a known type, with one to three of its members.
    return Object.fromEntries(
      nth % 2 === 0 ? fields : [['type', pick(FILTER_TYPES)], ...fields.slice(1, 2 + (nth % 3))],
    );
  }
  if (type.name === 'Int') return pick(NUMBERS);
  if (type.name === 'Float') return pick([-1, 0.5, 1e300]);
  if (type.name === 'Boolean') return nth % 2 === 0;
  return type.name === 'Timestamp' ? pick(TIMES) : pick([...TEXTS, ...ids]);
}

/** As many as there are texts and ids. */
const VARIANTS = 17;

it.each(Object.entries(operations))('%s', async (name, document) => {
  const { unguarded } = sharedSchemas();
  const variables = parse(document).definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION ? (one.variableDefinitions ?? []) : [],
  );
  const kinds = variables.map(({ variable, type }) => ({
    name: variable.name.value,
    type: typeFromAST(unguarded, type as never) as unknown as GraphQLInputType,
  }));
  /** All variables of the `nth` values; or only `one`, and those that are required. */
  const given = (nth: number, one?: string) =>
    Object.fromEntries(
      kinds
        .filter(({ name, type }) => one === undefined || name === one || isNonNullType(type))
        .map(({ name, type }, at) => [name, valueFor(type, nth + 3 * at)]),
    );
  const failures: unknown[] = [];
  for (const [role, browser] of Object.entries(people)) {
    const send = async (values: Record<string, unknown>) => {
      const { status, text } = await browser.operation(name, values);
      if (status >= 500) failures.push({ role, values, status, text });
      return status;
    };
    if ((await send(given(0))) === 403) continue;
    for (let nth = 0; nth < VARIANTS && kinds.length > 0; nth++) {
      await send(given(nth));
      // The others may be refused first.
      for (const { name: one, type } of kinds) if (!isNonNullType(type)) await send(given(nth, one));
    }
  }
  expect(failures).toEqual([]);
});
