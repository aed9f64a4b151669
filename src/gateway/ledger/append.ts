// Gateway: appends calls and steps to the ledger: numbers them, hashes them with a salt, and signs the checkpoint.
import { createPrivateKey, type JsonWebKey, randomBytes, sign } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { digestOf, type RecordedStep, type StepSource, stepText } from '#core/ledger/entry-text.ts';
import { checkpointText, signedNote } from '#core/ledger/note.ts';
import { HASH_BYTES, leafHash, perfectRoot, TILE_WIDTH, TiledTree } from '#core/ledger/tree.ts';
import { sha256 } from '#core/sha256.ts';
import type { Database, Sql } from '#database/database.ts';
import * as ledger from '#repositories/ledger/ledger.ts';
import * as queue from '#repositories/ledger/pending.ts';
import { readSteps, subjectOfStep } from '#repositories/ledger/subject-entries.ts';
import { currentKey } from '../signing-key.ts';

/** Maximum rows of ledger_pending per transaction, with up to a thousand entries each. */
const MAX_ROWS = 50;
/** A process that hangs while it has the lock loses it, together with its uncommitted work. */
const IDLE_MS = 10_000;
/** Timeout of the statements of an append, which take longer than those of requests where much is pending. */
const STATEMENT_MS = 50_000;

interface Draft {
  subject: string;
  digest: Buffer;
}

const SALTED = HASH_BYTES + 8;
const salting = Buffer.alloc(SALTED);
const committing = Buffer.alloc(SALTED + HASH_BYTES);

/** An entry's salt. With it one can test whether a text belongs to the entry. */
export function saltOf(secret: Buffer, number: number): Buffer {
  secret.copy(salting);
  salting.writeBigUInt64BE(BigInt(number), HASH_BYTES);
  return sha256(salting);
}

export function commit(salt: Buffer, number: number, digest: Buffer): Buffer {
  salt.copy(committing);
  committing.writeBigUInt64BE(BigInt(number), HASH_BYTES);
  digest.copy(committing, SALTED);
  return sha256(committing);
}

/** The name of a new log: where its tiles are served, or a random one. */
const originFor = (portalUrl: string | null): string =>
  portalUrl === null ? `portico-${randomBytes(8).toString('hex')}` : `${portalUrl.replace(/^https?:\/\//, '')}/ledger`;

/** Appends pending rows. Returns the number of entries; 0 also where another process is appending. */
export async function appendPending(database: Database, portalUrl: string | null): Promise<number> {
  if (!(await queue.isPending(database))) return 0;
  if ((await ledger.readHead(database)) === null) await ledger.insertHead(database, originFor(portalUrl));
  return database.transaction(async (sql) => {
    await ledger.limitStatements(sql, STATEMENT_MS);
    return append(sql);
  });
}

/**
 * Appends everything pending at present. Keeps the lock on the ledger until the caller's transaction ends. Returns the
 * newest checkpoint; null before the first.
 */
export async function appendAllWithin(sql: Sql, portalUrl: string | null): Promise<string | null> {
  const newest = await queue.newestPending(sql);
  if (newest > 0) await ledger.insertHead(sql, originFor(portalUrl));
  await ledger.lockHead(sql);
  while (await queue.isPendingUpTo(sql, newest)) await append(sql);
  return (await ledger.readHead(sql))?.checkpoint ?? null;
}

async function append(sql: Sql): Promise<number> {
  await ledger.limitIdleness(sql, IDLE_MS);
  const head = await ledger.tryLockHead(sql);
  if (head === null) return 0;
  const pending = await queue.readPending(sql, MAX_ROWS);
  if (pending.length === 0) return 0;
  const steps = await stepsOf(sql, pending);
  const drafts = pending.map((row) => draftsOf(row, steps));
  const entries = drafts.flat();
  const numbers = await numbered(sql, entries);
  let leaf = head.size;
  const batches: ledger.StoredBatch[] = [];
  const placed: { source: StepSource; event: string; leaf: number; number: number }[] = [];
  pending.forEach((row, at) => {
    const own = (drafts[at] ?? []).map((_, place) => numbers[leaf - head.size + place]?.number ?? 0);
    if (row.source === null) batches.push({ number: row.number, first: leaf, numbers: own });
    else if (own[0] !== undefined) placed.push({ source: row.source, event: row.event, leaf, number: own[0] });
    leaf += own.length;
  });
  await ledger.insertBatches(sql, batches);
  await ledger.insertSteps(sql, placed);
  await extend(sql, head.size, numbers);
  const root = await new TiledTree(leaf, ledger.tilesOf(sql)).root();
  const checkpoint = await signCheckpoint(sql, head.origin, { size: leaf, root });
  await ledger.moveHead(sql, head.size, { size: leaf, root, checkpoint });
  await queue.deletePending(
    sql,
    pending.map(({ number }) => number),
  );
  return entries.length;
}

/** Steps by source and id. A step whose row was deleted with its grant or key cannot be appended any more. */
async function stepsOf(sql: Sql, pending: readonly queue.Pending[]): Promise<Map<string, RecordedStep>> {
  const rows = pending.filter((row): row is queue.PendingStep => row.source !== null);
  const ids = (wanted: StepSource) => rows.filter(({ source }) => source === wanted).map(({ event }) => event);
  const steps = [
    ...(await readSteps(sql, 'grant_events', ids('grant_events'))),
    ...(await readSteps(sql, 'key_events', ids('key_events'))),
  ];
  return new Map(steps.map((step) => [`${step.source} ${step.id}`, step]));
}

function draftsOf(row: queue.Pending, steps: ReadonlyMap<string, RecordedStep>): Draft[] {
  if (row.source === null)
    return row.subjects.map((subject, at) => ({
      ...{ subject, digest: row.digests.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) },
    }));
  const step = steps.get(`${row.source} ${row.event}`);
  return step === undefined ? [] : [{ subject: subjectOfStep(step), digest: digestOf(stepText(step)) }];
}

/** The number of each entry among those of its subject, continuing after the last. */
async function numbered(sql: Sql, entries: readonly Draft[]): Promise<NewEntry[]> {
  const counts = new Map<string, number>();
  for (const { subject } of entries) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  const wanted = [...counts].map(([subject, count]) => ({ subject, secret: randomBytes(32), entries: count }));
  const taken = await ledger.reserveNumbers(sql, wanted);
  return entries.map(({ subject, digest }) => {
    const reserved = taken.get(subject);
    if (reserved === undefined) throw new Error(`no number was reserved for ${subject}`);
    const left = counts.get(subject) ?? 0;
    counts.set(subject, left - 1);
    return { digest, number: reserved.last - left + 1, secret: reserved.secret };
  });
}

interface NewEntry {
  digest: Buffer;
  number: number;
  secret: Buffer;
}

/** Writes the salted hashes of new entries, and the tiles that they fill. */
async function extend(sql: Sql, size: number, entries: readonly NewEntry[]): Promise<void> {
  const firstBundle = Math.floor(size / TILE_WIDTH);
  const begun = size % TILE_WIDTH;
  const open = begun === 0 ? [] : ledger.commitmentsIn(await ledger.readBundle(sql, firstBundle)).slice(0, begun);
  const bundles = new Map<number, Buffer>();
  const roots: Buffer[] = [];
  for (const [at, added] of cutByTiles(begun, entries).entries()) {
    const commitments = [...(at === 0 ? open : []), ...added.map(commitmentOf)];
    bundles.set(firstBundle + at, Buffer.concat(commitments));
    if (commitments.length === TILE_WIDTH) roots.push(perfectRoot(commitments.map(leafHash)));
    // Lets waiting requests be served first.
    await nextTurn();
  }
  await ledger.writeBundles(sql, bundles);
  await fillTiles(sql, firstBundle, roots);
}

const commitmentOf = ({ secret, number, digest }: NewEntry): Buffer => commit(saltOf(secret, number), number, digest);

/** Adds hashes to the tiles of level 1. The roots of filled tiles are added to the level above, and so on. */
async function fillTiles(sql: Sql, before: number, added: readonly Buffer[]): Promise<void> {
  const tiles: { level: number; index: number; hashes: Buffer }[] = [];
  let [from, rest] = [before, added];
  for (let level = 1; rest.length > 0; level++) {
    const firstTile = Math.floor(from / TILE_WIDTH);
    const begun = from % TILE_WIDTH;
    const open =
      begun === 0 ? [] : ledger.commitmentsIn(await ledger.readStoredTile(sql, level, firstTile)).slice(0, begun);
    const full: Buffer[] = [];
    for (const [at, own] of cutByTiles(begun, rest).entries()) {
      const hashes = [...(at === 0 ? open : []), ...own];
      tiles.push({ level, index: firstTile + at, hashes: Buffer.concat(hashes) });
      if (hashes.length === TILE_WIDTH) full.push(perfectRoot(hashes));
    }
    [from, rest] = [firstTile, full];
  }
  await ledger.writeTiles(sql, tiles);
}

/** Splits what follows the first `begun` of a tile at the ends of tiles. */
function cutByTiles<Added>(begun: number, added: readonly Added[]): Added[][] {
  const first = TILE_WIDTH - begun;
  const cuts = added.length === 0 ? [] : [added.slice(0, first)];
  for (let at = first; at < added.length; at += TILE_WIDTH) cuts.push(added.slice(at, at + TILE_WIDTH));
  return cuts;
}

async function signCheckpoint(sql: Sql, origin: string, head: { size: number; root: Buffer }): Promise<string> {
  const { publicKey, privateKey } = await currentKey(sql);
  const text = checkpointText(origin, head);
  const key = createPrivateKey({ key: privateKey as JsonWebKey, format: 'jwk' });
  return signedNote(origin, text, { key: publicKey, signature: sign(null, Buffer.from(text), key) });
}
