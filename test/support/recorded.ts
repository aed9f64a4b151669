// Test support: queries of grants, keys and admissions that the product does not need.
import type { GrantTransition } from '#core/grant-lifecycle.ts';
import type { Sql } from '#database/database.ts';
import { type AdmissionLookup, type ReadAdmission, readAdmissions } from '#repositories/admission/admission.ts';
import { type Grant, listGrants } from '#repositories/grants/grant-queries.ts';

export async function findGrant(sql: Sql, id: string): Promise<Grant | null> {
  return (await listGrants(sql)).find((grant) => grant.id === id) ?? null;
}

interface RecordedEvent<Action extends string> {
  at: string;
  /** `kind:id`. */
  actor: string;
  action: Action;
  details: Record<string, unknown>;
}

/** Every event of the grant, oldest first. */
export function listGrantEvents(sql: Sql, grantId: string): Promise<RecordedEvent<GrantTransition>[]> {
  const text = 'select at, actor, action, details from grant_events where grant_id = $1 order by id';
  return sql.query({ text, values: [grantId] });
}

/** Every event of the lineage of the key, oldest first. */
export function listKeyEvents(sql: Sql, keyId: string): Promise<(RecordedEvent<string> & { keyId: string })[]> {
  return sql.query({
    text: `select e.key_id as "keyId", e.at, e.actor, e.action, e.details
      from key_events e join api_keys k on k.id = e.key_id
      where k.lineage_id = (select lineage_id from api_keys where id = $1) order by e.id`,
    values: [keyId],
  });
}

/** Null if there is no such key. */
export async function readAdmission(sql: Sql, lookup: AdmissionLookup): Promise<ReadAdmission | null> {
  const [admission = null] = await readAdmissions(sql, [lookup]);
  return admission;
}
