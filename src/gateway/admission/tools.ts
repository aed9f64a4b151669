// Gateway: internal tools over GraphQL: their authentication, and the portfolio that an operation reads.
import {
  type DocumentNode,
  type FieldNode,
  getOperationAST,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { bearerToken } from '#auth/bearer.ts';
import { readToken } from '#auth/key-format.ts';
import { Refusal, refuse } from '#core/errors.ts';
import type { PortfolioView, Principal } from '#core/principal.ts';
import type { StageTimes } from '#core/stages.ts';
import { batched } from '#database/batched-statement.ts';
import type { Sql } from '#database/database.ts';
import { findTokens } from '#repositories/admission/tokens.ts';
import { fragmentsOf } from '../execution/fragments.ts';
import { type Admission, admitPartner, requireValidKey } from './admission.ts';
import type { FindAdmission } from './admission-cache.ts';

export type Service = Extract<Principal, { kind: 'service' }>;

/** A tool's request: the caller, its view once requested, and its outcome. */
export interface ToolRequest {
  service: Service;
  actAsKey: string | undefined;
  requestId: string;
  times: StageTimes;
  view?: Promise<PortfolioView | null>;
  /** Admission of the key in X-Act-As-Key to the client named, once both were looked up. */
  admission?: Admission;
  /** Code of the response's first error. */
  errorCode?: string | null;
}

/**
 * Authenticates tools by this header; looks tokens up in the database, batched over requests. Throws Refusal
 * `invalid_access_token`.
 */
export function openServices(sql: Sql): (authorization: string | undefined) => Promise<Service> {
  const find = batched((hashes: readonly Buffer[]) => findTokens(sql, 'service', hashes));
  return async (authorization) => {
    const hash = readToken('service', bearerToken(authorization) ?? '');
    const token = hash === null ? null : await find(hash);
    if (token === null) throw new Refusal('invalid_access_token');
    return { kind: 'service', tokenId: token.id, role: token.holder, view: null };
  };
}

/** The view of the acting key on the client named by the operation, read once per request. */
export function viewFor(
  findAdmission: FindAdmission,
  request: ToolRequest,
  clientId: string | null,
): Promise<PortfolioView | null> {
  if (request.view === undefined) {
    const stage = request.times.enter('identify');
    request.view = viewAs(findAdmission, request, clientId).finally(() => request.times.enter(stage));
  }
  return request.view;
}

/**
 * Null without a client or a key. Throws Refusal as for the key itself, and `forbidden` for roles without client data.
 */
async function viewAs(
  findAdmission: FindAdmission,
  request: ToolRequest,
  clientId: string | null,
): Promise<PortfolioView | null> {
  const { actAsKey, service } = request;
  if (actAsKey === undefined || clientId === null) return null;
  if (service.role === 'ops') refuse('forbidden', 'The role ops sees no client data.');
  const found = await findAdmission({ key: actAsKey, clientId, horizon: true, times: request.times });
  if (found === null) refuse('resource_not_found', 'There is no key with the id in X-Act-As-Key.');
  request.admission = found.admission;
  const { admission, moment, horizon } = requireValidKey(found);
  return admitPartner(admission, { horizon, position: moment.position }).view;
}

/** A root field that names a client. */
export interface ToolRead {
  field: string;
  /** Its response name. */
  key: string;
  clientId: string;
  registryId: string | null;
}

/** The client named by an operation's reads, or null. Throws Refusal `invalid_query` where there are several. */
export function clientNamedBy(reads: readonly ToolRead[]): string | null {
  const named = new Set(reads.map(({ clientId }) => clientId));
  if (named.size > 1) refuse('invalid_query', 'An operation can read one client only; this one names several.');
  return named.values().next().value ?? null;
}

/** The operation's root fields that name a client, including those in the fragments that it spreads. */
export function readsOf(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): ToolRead[] {
  const operation = getOperationAST(document, operationName);
  if (!operation) return [];
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? [])
    if (defaultValue?.kind === Kind.STRING) defaults[variable.name.value] = defaultValue.value;
  const values = { ...defaults, ...variables };
  const fragments = fragmentsOf(document);
  const reads = ({ selections }: SelectionSetNode): ToolRead[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return readIn(selection, values) ?? [];
      if (selection.kind === Kind.INLINE_FRAGMENT) return reads(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      // Once is enough: a fragment spread again selects the same.
      fragments.delete(selection.name.value);
      return fragment === undefined ? [] : reads(fragment.selectionSet);
    });
  return reads(operation.selectionSet);
}

/** Null for a field that names no client. */
function readIn(
  { name, alias, arguments: given }: FieldNode,
  variables: Readonly<Record<string, unknown>>,
): ToolRead | null {
  const argument = (of: string) => {
    const value = given?.find((each) => each.name.value === of)?.value;
    return value && textOf(value, variables);
  };
  const clientId = argument('clientId');
  if (clientId === undefined) return null;
  const field = name.value;
  return { field, key: alias?.value ?? field, clientId, registryId: argument('registryId') ?? null };
}

function textOf(value: ValueNode, variables: Readonly<Record<string, unknown>>): string | undefined {
  const given =
    value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.STRING ? value.value : undefined;
  return typeof given === 'string' ? given : undefined;
}
