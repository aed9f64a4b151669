// Gateway: whether the log is consistent in itself and with a checkpoint seen before.
import { readCheckpoint, verifyCheckpoint } from '#core/ledger/note.ts';
import { leafHash, perfectRoot, TILE_WIDTH, TiledTree } from '#core/ledger/tree.ts';
import type { Sql } from '#database/database.ts';
import * as ledger from '#repositories/ledger/ledger.ts';
import { readKeySet } from '../consent/receipt-signature.ts';

/** Whether bundles, tiles, root and checkpoint are consistent. */
export async function treeFaults(sql: Sql, head: ledger.LedgerHead | null): Promise<string[]> {
  const size = head?.size ?? 0;
  const stored = await ledger.countStored(sql);
  const faults: string[] = [];
  const expected = { bundles: Math.ceil(size / TILE_WIDTH), tiles: tilesFor(size) };
  if (stored.bundles !== expected.bundles || stored.tiles !== expected.tiles)
    faults.push(
      `A log of ${size} entries must have ${expected.bundles} bundles and ${expected.tiles} tiles, but ${stored.bundles} and ${stored.tiles} are stored.`,
    );
  if (head === null || size === 0) return faults;
  let roots: Buffer[] = [];
  for (let index = 0; index < expected.bundles; index++) {
    const commitments = ledger.commitmentsIn(await ledger.readBundle(sql, index));
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    if (commitments.length !== width)
      faults.push(`Bundle ${index} has ${commitments.length} entries in place of ${width}.`);
    else if (width === TILE_WIDTH) roots.push(perfectRoot(commitments.map(leafHash)));
  }
  for (let level = 1; roots.length > 0; level++) {
    const above: Buffer[] = [];
    for (let index = 0; index * TILE_WIDTH < roots.length; index++) {
      const hashes = roots.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH);
      if (!Buffer.concat(hashes).equals(await ledger.readStoredTile(sql, level, index)))
        faults.push(`Tile ${index} of level ${level} is not what its entries make it.`);
      if (hashes.length === TILE_WIDTH) above.push(perfectRoot(hashes));
    }
    roots = above;
  }
  if (faults.length === 0) faults.push(...(await headFaults(sql, head)));
  return faults;
}

async function headFaults(sql: Sql, head: ledger.LedgerHead): Promise<string[]> {
  const root = await new TiledTree(head.size, ledger.tilesOf(sql)).root();
  if (!root.equals(head.root)) return ['The root of the log does not match its entries.'];
  try {
    const { keys } = await readKeySet(sql);
    const signed = await verifyCheckpoint(head.checkpoint ?? '', keys);
    if (signed.origin !== head.origin || signed.size !== head.size || !head.root.equals(signed.root))
      return ['The stored checkpoint does not match the log.'];
  } catch (error) {
    return [`The checkpoint: ${(error as Error).message}.`];
  }
  return [];
}

function tilesFor(size: number): number {
  let tiles = 0;
  for (let hashes = Math.floor(size / TILE_WIDTH); hashes > 0; hashes = Math.floor(hashes / TILE_WIDTH))
    tiles += Math.ceil(hashes / TILE_WIDTH);
  return tiles;
}

/** Compares the content of a checkpoint seen before, so that its signature need not be verifiable any more. */
export async function rewriteFault(sql: Sql, head: ledger.LedgerHead | null, note: string): Promise<string | null> {
  const before = readCheckpoint(note);
  if (head === null || head.origin !== before.origin)
    return `The log is not ${before.origin}, which the earlier checkpoint is of.`;
  if (before.size > head.size) return `The log had ${before.size} entries, but now has ${head.size}.`;
  const root = await new TiledTree(before.size, ledger.tilesOf(sql)).root().catch(() => null);
  return root?.equals(before.root) === true
    ? null
    : `The log's first ${before.size} entries are not those of the earlier checkpoint.`;
}
