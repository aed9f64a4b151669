// Gateway: erases users of firms and of operations, and removes firms. Their acts stay on record under a pseudonym.
import type { Actor } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import type { Database, Sql } from '#database/database.ts';
import { readServerTime } from '#repositories/database-health.ts';
import { endMembership, removeMemberInTransaction } from '#repositories/firms/members.ts';
import { requireReason } from '#repositories/input-checks.ts';
import {
  deletePerson,
  type ErasablePerson,
  forgetSamples,
  lockPerson,
} from '#repositories/personal-data/client-traces.ts';
import { type Erasure, findErasure, recordErasure } from '#repositories/personal-data/erased-subjects.ts';
import { endFirm, lockFirmToEnd } from '#repositories/personal-data/firm-end.ts';
import { requireNoHold } from '#repositories/personal-data/legal-holds.ts';
import { newestCheckpoint } from '../ledger/ledger.ts';
import { signCertificate } from './certificate.ts';
import { type ErasureRequest, type ErasureSettings, requireNeutral, requireNew } from './erasable.ts';

/** Throws as `eraseClient` does, and Refusal `last_administrator` where the firm would have no administrator left. */
export async function eraseUser(
  database: Database,
  request: ErasureRequest,
  settings: ErasureSettings,
): Promise<Erasure> {
  const erasure = await database.transaction((sql) => eraseUserWithin(sql, request, settings), { noTimeout: true });
  await forgetSamples(database);
  return erasure;
}

/** `eraseUser` in the caller's transaction. With `unadministered` the firm may be left without an administrator. */
export async function eraseUserWithin(
  sql: Sql,
  { id, reason: given, actor }: ErasureRequest,
  { portalUrl }: Pick<ErasureSettings, 'portalUrl'>,
  options: { unadministered?: boolean } = {},
): Promise<Erasure> {
  await requireNew(sql, id);
  const person = await lockPerson(sql, id);
  if (person === null || person.role === 'client')
    refuse('resource_not_found', `There is no user of a firm or of operations ${id}.`);
  await requireNoHold(sql, id);
  const reason = requireNeutral(requireReason(given), person, actor);
  if (person.firmId !== null && !person.removed)
    await removeMemberInTransaction(sql, person.firmId, id, actor, options);
  await takeOut(sql, person);
  return certify(sql, { id, kind: 'user', actor, reason, portalUrl });
}

async function takeOut(sql: Sql, person: ErasablePerson): Promise<void> {
  await deletePerson(sql, person, person.role === 'ops' ? 'Erased operator' : 'Erased member');
  await endMembership(sql, person.id);
}

interface Certified extends ErasureRequest {
  kind: 'user' | 'firm';
  portalUrl: string | null;
}

async function certify(sql: Sql, { id, kind, actor, reason, portalUrl }: Certified): Promise<Erasure> {
  const erasedAt = await readServerTime(sql);
  const certificate = await signCertificate(sql, {
    ...{ issuer: portalUrl, subject: id, kind, erased_at: erasedAt, counts: {} },
    ...{ grants_end_at: null, checkpoint: await newestCheckpoint(sql) },
  });
  await recordErasure(sql, { id, kind, erasedAt, actor, reason, grantsEndAt: null, certificate });
  return (await findErasure(sql, id)) as Erasure;
}

/**
 * Removes a firm within a transaction: ends its plan, keys and grants, and erases its members. Its name and the record
 * of its calls remain for the clients whose data it has read.
 */
export async function eraseFirmWithin(
  sql: Sql,
  { id, reason, actor }: ErasureRequest,
  settings: Pick<ErasureSettings, 'portalUrl'>,
): Promise<Erasure> {
  await requireNew(sql, id);
  const members = await lockFirmToEnd(sql, id);
  if (members === null) refuse('resource_not_found', `There is no firm ${id}.`);
  for (const member of members)
    await eraseUserWithin(sql, { id: member, reason, actor }, settings, { unadministered: true });
  await endFirm(sql, id, actor);
  return certify(sql, { id, kind: 'firm', actor, reason, ...settings });
}

/** Erases again what is left in a restored database, without further checks. */
export async function takeOutAgain(sql: Sql, kind: 'user' | 'firm', id: string, actor: Actor): Promise<void> {
  if (kind === 'user') {
    const person = await lockPerson(sql, id);
    if (person !== null && person.role !== 'client') await takeOut(sql, person);
    return;
  }
  if ((await lockFirmToEnd(sql, id)) !== null) await endFirm(sql, id, actor);
}
