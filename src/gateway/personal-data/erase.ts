// Gateway: erases people permanently, and notes in the ledger which of its entries have no record any more.
import type { Actor } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import { DAY_MS } from '#core/timestamps.ts';
import type { Database, Sql } from '#database/database.ts';
import type { Revocation } from '#database/revocation-journal.ts';
import { readServerTime } from '#repositories/database-health.ts';
import { requireReason } from '#repositories/input-checks.ts';
import {
  countTraces,
  deleteNoticesTo,
  deletePerson,
  deletePortfolio,
  type ErasablePerson,
  forgetSamples,
  lockPerson,
} from '#repositories/personal-data/client-traces.ts';
import {
  dueErasures,
  type ErasedKind,
  type Erasure,
  findErasure,
  finishErasure,
  recordErasure,
} from '#repositories/personal-data/erased-subjects.ts';
import { requireNoHold } from '#repositories/personal-data/legal-holds.ts';
import {
  deleteClient,
  deleteGrants,
  destroySecrets,
  endGrantsAt,
  eraseCalls,
  eraseOtherCalls,
  eraseSteps,
  lockGrants,
} from '#repositories/personal-data/recorded-traces.ts';
import { appendAllWithin } from '../ledger/append.ts';
import { signCertificate } from './certificate.ts';
import { type ErasureRequest, type ErasureSettings, requireNeutral, requireNew } from './erasable.ts';
import { takeOutAgain } from './erase-user.ts';

/** The rest of an erasure. It locks the ledger against other appends until the transaction ends. */
export type Rest<Result> = () => Promise<Result>;

/**
 * Erases a client. Throws Refusal `resource_not_found`, `invalid_parameter` where the reason names the person,
 * `invalid_transition` under a legal hold or where it was done already.
 */
export async function eraseClient(
  database: Database,
  request: ErasureRequest,
  settings: ErasureSettings,
): Promise<Erasure> {
  const erase = async (sql: Sql) => (await eraseClientWithin(sql, request, settings))();
  const erasure = await database.transaction(erase, { noTimeout: true });
  await forgetSamples(database);
  return erasure;
}

/** Like `eraseClient`, within the caller's transaction. The caller must call the returned rest at its end. */
export async function eraseClientWithin(
  sql: Sql,
  { id, reason: given, actor }: ErasureRequest,
  { portalUrl, noticeDays }: ErasureSettings,
): Promise<Rest<Erasure>> {
  await requireNew(sql, id);
  const person = await lockPerson(sql, id);
  if (person?.role !== 'client') refuse('resource_not_found', `There is no client ${id}.`);
  await requireNoHold(sql, id);
  const reason = requireNeutral(requireReason(given), person, actor);
  const counts = await countTraces(sql, id);
  const erasedAt = await readServerTime(sql);
  const wanted = noticeDays === 0 ? null : new Date(Date.parse(erasedAt) + noticeDays * DAY_MS).toISOString();
  const rest = await deleteData(sql, person, wanted, portalUrl);
  return async () => {
    const { checkpoint, grantsEndAt } = await rest();
    const certificate = await signCertificate(sql, {
      ...{ issuer: portalUrl, subject: id, kind: 'client', erased_at: erasedAt, counts },
      ...{ grants_end_at: grantsEndAt, checkpoint },
    });
    await recordErasure(sql, { id, kind: 'client', erasedAt, actor, reason, grantsEndAt, certificate });
    return (await findErasure(sql, id)) as Erasure;
  };
}

/** Deletes what the database stores about a client. Active grants stay until `keptUntil`, with removals only. */
async function deleteData(
  sql: Sql,
  person: ErasablePerson,
  keptUntil: string | null,
  portalUrl: string | null,
): Promise<Rest<{ checkpoint: string | null; grantsEndAt: string | null }>> {
  const { id } = person;
  const { gone, kept } = await lockGrants(sql, person, keptUntil);
  await deletePortfolio(sql, id);
  await deletePerson(sql, person, 'Erased client');
  await eraseOtherCalls(sql, id);
  return async () => {
    const checkpoint = await eraseRecorded(sql, id, [...gone, ...kept], portalUrl);
    await destroySecrets(sql, [id, ...gone]);
    await deleteGrants(sql, gone);
    if (kept.length === 0 || keptUntil === null) {
      await deleteClient(sql, id);
      return { checkpoint, grantsEndAt: null };
    }
    await endGrantsAt(sql, kept, keptUntil);
    // Drops the notices that would tell the client about it.
    await deleteNoticesTo(sql, id);
    return { checkpoint, grantsEndAt: keptUntil };
  };
}

/** Attempts before calls that are just being recorded are left for a later erasure. */
const ROUNDS = 10;

/** The ledger must have an entry before its record is deleted. Returns the checkpoint that covers all of them. */
async function eraseRecorded(
  sql: Sql,
  clientId: string,
  grantIds: readonly string[],
  portalUrl: string | null,
): Promise<string | null> {
  let checkpoint = await appendAllWithin(sql, portalUrl);
  await eraseSteps(sql, grantIds);
  for (let round = 0; (await eraseCalls(sql, clientId)) && round < ROUNDS; round++)
    checkpoint = await appendAllWithin(sql, portalUrl);
  return checkpoint;
}

const MAX_PER_BATCH = 10;

/** Erases what was left for partners, and calls recorded since. Returns the number of clients. */
export async function finishErasures(sql: Sql, portalUrl: string | null): Promise<number> {
  const due = await dueErasures(sql, MAX_PER_BATCH);
  for (const id of due) {
    const person = await lockPerson(sql, id);
    if (person !== null) await (await deleteData(sql, person, null, portalUrl))();
    else {
      await eraseRecorded(sql, id, [], portalUrl);
      await destroySecrets(sql, [id]);
    }
    await finishErasure(sql, id);
  }
  return due.length;
}

/** Repeats an erasure that a restored database lacks. */
export async function eraseAgain(
  sql: Sql,
  { row_id: id, at, terms }: Revocation,
  portalUrl: string | null,
): Promise<void> {
  const kind: ErasedKind = terms.kind === 'client' || terms.kind === 'firm' ? terms.kind : 'user';
  const actor: Actor = { kind: 'system', id: 'restore' };
  const person = kind === 'client' ? await lockPerson(sql, id) : null;
  if (kind !== 'client') await takeOutAgain(sql, kind, id, actor);
  let grantsEndAt: string | null = null;
  if (person?.role === 'client') {
    const ends = typeof terms.grants_end_at === 'string' ? terms.grants_end_at : null;
    const wanted = ends !== null && Date.parse(ends) > Date.now() ? new Date(ends).toISOString() : null;
    ({ grantsEndAt } = await (await deleteData(sql, person, wanted, portalUrl))());
  }
  const erasure = { id, kind, erasedAt: at, actor, grantsEndAt, certificate: null };
  await recordErasure(sql, { ...erasure, reason: 'Erased before the restore' });
}
