// Guarantee: proofs of the ledger follow RFC 6962, and are valid only for what they prove.
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointText, readCheckpoint, verifyCheckpoint } from '#core/ledger/note.ts';
import { isConsistent, isSame, rootFromInclusion } from '#core/ledger/proofs.ts';
import { EMPTY_ROOT, leafHash, nodeHash, perfectRoot, TiledTree, widthOf } from '#core/ledger/tree.ts';

const ENTRIES = Array.from({ length: 70_000 }, (_, at) => hash('sha256', `entry ${at}`, 'buffer'));
const LEAVES = ENTRIES.map(leafHash);

/** RFC 6962, section 2.1, implemented literally. */
function treeHash(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return hash('sha256', '', 'buffer');
  if (leaves.length === 1) return first;
  let power = 1;
  while (power * 2 < leaves.length) power *= 2;
  return nodeHash(treeHash(leaves.slice(0, power)), treeHash(leaves.slice(power)));
}

const levels: Buffer[][] = [LEAVES];
while ((levels.at(-1)?.length ?? 0) >= 256) {
  const below = levels.at(-1) ?? [];
  const full = Math.floor(below.length / 256);
  levels.push(Array.from({ length: full }, (_, at) => perfectRoot(below.slice(at * 256, at * 256 + 256))));
}

const treeOf = (size: number) =>
  new TiledTree(size, async (level, index, width) => {
    expect(width).toBe(widthOf(size, level, index));
    return Buffer.concat((levels[level] ?? []).slice(index * 256, index * 256 + width));
  });

const SIZES = [1, 2, 3, 5, 7, 8, 255, 256, 257, 511, 513, 65_535, 65_536, 65_537, 70_000];
const size = fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.constantFrom(...SIZES));

it('roots computed from tiles equal those of the definition', async () => {
  expect((await treeOf(0).root()).equals(EMPTY_ROOT)).toBe(true);
  for (const leaves of SIZES)
    expect((await treeOf(leaves).root()).equals(treeHash(LEAVES.slice(0, leaves))), `${leaves}`).toBe(true);
});

it('an inclusion proof is valid only for its own leaf and index', async () => {
  await fc.assert(
    fc.asyncProperty(size, fc.nat(), async (leaves, any) => {
      const index = any % leaves;
      const path = await treeOf(leaves).inclusion(index);
      const root = await treeOf(leaves).root();
      const leaf = LEAVES[index] ?? EMPTY_ROOT;
      const reached = async (of: Uint8Array, at: number, under: readonly Uint8Array[]) => {
        const found = await rootFromInclusion(of, { index: at, size: leaves, path: under });
        return found !== null && isSame(found, root);
      };
      expect(await reached(leaf, index, path)).toBe(true);
      expect(await reached(EMPTY_ROOT, index, path)).toBe(false);
      expect(await reached(leaf, (index + 1) % leaves, path)).toBe(leaves === 1);
      expect(await reached(leaf, index, [...path, EMPTY_ROOT])).toBe(false);
      if (path.length > 0) expect(await reached(leaf, index, path.slice(1))).toBe(false);
      expect(await reached(leaf, leaves, path)).toBe(false);
    }),
    { numRuns: 60 },
  );
});

it('a consistency proof is valid only between the two roots that it was made for', async () => {
  await fc.assert(
    fc.asyncProperty(size, size, async (one, other) => {
      const [older, newer] = one < other ? [one, other] : [other, one];
      const heads = [
        { size: older, root: await treeOf(older).root() },
        { size: newer, root: await treeOf(newer).root() },
      ] as const;
      const path = await treeOf(newer).consistency(older);
      expect(await isConsistent(...heads, path)).toBe(true);
      expect(await isConsistent({ size: older, root: EMPTY_ROOT }, heads[1], path)).toBe(false);
      expect(await isConsistent(heads[0], { size: newer, root: EMPTY_ROOT }, path)).toBe(false);
      expect(await isConsistent(...heads, [...path, EMPTY_ROOT])).toBe(false);
      if (path.length > 0) expect(await isConsistent(...heads, path.slice(1))).toBe(false);
    }),
    { numRuns: 60 },
  );
});

describe('checkpoints', () => {
  // The examples of C2SP signed-note, whose text is no checkpoint, and of tlog-checkpoint.
  const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
  const NOTE = `example.com/behind-the-sofa\n20852163\n${ROOT}\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n`;

  it('are read and written in the format of C2SP', () => {
    const { origin, size: leaves, root } = readCheckpoint(NOTE);
    expect([origin, leaves, Buffer.from(root).toString('base64')]).toEqual([
      'example.com/behind-the-sofa',
      20852163,
      ROOT,
    ]);
    expect(NOTE.startsWith(checkpointText(origin, { size: leaves, root }))).toBe(true);
  });

  it.each([
    '',
    'a\n1\n',
    NOTE.replace('\n\n', '\n'),
    NOTE.replace('20852163', '020'),
    NOTE.replace(ROOT, 'AAAA'),
    NOTE.replace('— ', ''),
  ])('are not read from %j', (text) => {
    expect(() => readCheckpoint(text)).toThrow();
  });

  it('are refused without the signature of a known key', async () => {
    const x = Buffer.alloc(32, 1).toString('base64url');
    await expect(verifyCheckpoint(NOTE, [{ kty: 'OKP', crv: 'Ed25519', x }])).rejects.toThrow(
      'none of the published keys has signed the checkpoint',
    );
  });
});
