// Gateway: internal tools over GraphQL: who they are, and whose portfolio an operation looks at.
import { type DocumentNode, Kind, type ValueNode } from 'graphql';
import { bearerToken } from '#auth/bearer.ts';
import { readToken } from '#auth/key-format.ts';
import { Refusal } from '#core/errors.ts';
import type { PortfolioView, Principal } from '#core/principal.ts';
import { batched } from '#database/batched-statement.ts';
import type { Sql } from '#database/database.ts';
import { findServiceTokens } from '#repositories/admission/tokens.ts';
import { admitPartner, requireValidKey } from './admission.ts';
import type { Admit } from './admission-cache.ts';

export type Service = Extract<Principal, { kind: 'service' }>;

/** Who asks, and what it sees, once that was asked for. */
export interface ToolRequest {
  service: Service;
  actAsKey: string | undefined;
  view?: Promise<PortfolioView | null>;
}

/** The tool of the token in this header. Throws Refusal `invalid_access_token`. */
export type AdmitService = (authorization: string | undefined) => Promise<Service>;

/** Each is asked of the database, those of several requests together. */
export function openServices(sql: Sql): AdmitService {
  const find = batched((hashes: readonly Buffer[]) => findServiceTokens(sql, hashes));
  return async (authorization) => {
    const hash = readToken('service', bearerToken(authorization) ?? '');
    const token = hash === null ? null : await find(hash);
    if (token === null) throw new Refusal('invalid_access_token');
    return { kind: 'service', tokenId: token.id, role: token.role, view: null };
  };
}

/**
 * What `actAsKey` sees of the client that the operation names; null where no client or no key is named.
 * Throws Refusal as the key itself would be refused, and `forbidden` for roles that see no client data.
 */
export async function viewAs(
  admit: Admit,
  service: Service,
  actAsKey: string | undefined,
  clientId: string | null,
): Promise<PortfolioView | null> {
  if (actAsKey === undefined || clientId === null) return null;
  if (service.role === 'ops') throw new Refusal('forbidden', { message: 'The role ops sees no client data.' });
  const found = await admit({ key: actAsKey, clientId, horizon: true });
  if (found === null)
    throw new Refusal('resource_not_found', { message: 'There is no key with the id in X-Act-As-Key.' });
  const { admission, moment, horizon } = requireValidKey(found);
  return admitPartner(admission, { horizon, position: moment.position }).view;
}

/** What `viewAs` says, asked once a request. */
export function viewFor(admit: Admit, request: ToolRequest, clientId: string | null): Promise<PortfolioView | null> {
  request.view ??= viewAs(admit, request.service, request.actAsKey, clientId);
  return request.view;
}

/** The one client that the operation's root fields name, or null. Throws Refusal `invalid_query` for several. */
export function clientNamedBy(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): string | null {
  const named = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION || definition.kind === Kind.OPERATION_DEFINITION) {
      const other =
        definition.kind === Kind.OPERATION_DEFINITION && operationName && definition.name?.value !== operationName;
      if (!other) collect(definition.selectionSet.selections, variables, named);
    }
  }
  if (named.size > 1)
    throw new Refusal('invalid_query', { message: 'An operation looks at one client; this one names several.' });
  return named.values().next().value ?? null;
}

type Selections = Extract<
  DocumentNode['definitions'][number],
  { kind: Kind.OPERATION_DEFINITION }
>['selectionSet']['selections'];

function collect(selections: Selections, variables: Readonly<Record<string, unknown>>, named: Set<string>): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const argument = selection.arguments?.find(({ name }) => name.value === 'clientId');
      const value = argument === undefined ? undefined : textOf(argument.value, variables);
      if (value !== undefined) named.add(value);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet.selections, variables, named);
  }
}

function textOf(value: ValueNode, variables: Readonly<Record<string, unknown>>): string | undefined {
  const given =
    value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.STRING ? value.value : undefined;
  return typeof given === 'string' ? given : undefined;
}
