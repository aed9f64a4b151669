// Repositories: the record of who read what of which client, and when.
import type { ScopeSet } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';

export interface AccessRecord {
  requestId: string;
  at: string;
  firmId: string;
  keyId: string;
  endpoint: string;
  registryId: string | null;
  /** The scopes that were in effect. */
  scopes: ScopeSet;
  /** HTTP status. */
  status: number;
  /** Of the service token, where a tool read as the key. */
  toolRole: string | null;
  toolId: string | null;
}

export interface AccessSelection {
  clientId: string;
  /** RFC 3339, inclusive. */
  since?: string | undefined;
  limit: number;
}

/** Newest first. */
export async function listAccessRecords(
  sql: Sql,
  { clientId, since, limit }: AccessSelection,
): Promise<AccessRecord[]> {
  return sql.query<AccessRecord>({
    text: `select request_id as "requestId", at, firm_id as "firmId", key_id as "keyId", endpoint,
        registry_id as "registryId", scopes, status,
        tool_role as "toolRole", tool_id as "toolId"
      from access_records where client_id = $1 and ($2::timestamptz is null or at >= $2)
      order by at desc, request_id desc limit $3`,
    values: [clientId, since ?? null, limit],
  });
}
