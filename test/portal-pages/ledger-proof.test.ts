// The proof of a call in a ledger of a million entries is small, and a browser verifies it without a library.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, it } from 'vitest';
import { digestOf } from '#core/ledger/entry-text.ts';
import { checkpointText, signedNote } from '#core/ledger/note.ts';
import type { LedgerEntry } from '#core/ledger/record-file.ts';
import { leafHash, perfectRoot, TiledTree } from '#core/ledger/tree.ts';
import { commit } from '#gateway/ledger/append.ts';
import { sharedChromium } from '#test/support/chromium.ts';
import { closeAtEnd } from './artefacts.ts';

const SIZE = 1_000_000;
const INDEX = 777_777;
const MAX_BYTES = 2_048;
const CORE = new URL('../../src/core/ledger/', import.meta.url);

interface Outcome {
  faults: (string | null)[];
}

it('a proof takes at most 2 kB, and verifies its own entry alone', async () => {
  const text = JSON.stringify({
    kind: 'call',
    id: 'req_1',
    at: '2026-01-01T00:00:00.000Z',
    client: 'usr_1',
    firm: 'frm_1',
  });
  const salt = hash('sha256', 'salt', 'buffer');
  const leaves = Array.from({ length: SIZE }, (_, at) => leafHash(hash('sha256', `${at}`, 'buffer')));
  leaves[INDEX] = leafHash(commit(salt, 7, digestOf(text)));
  const levels = [leaves];
  for (let below = leaves; below.length >= 256; ) {
    const above = Array.from({ length: Math.floor(below.length / 256) }, (_, at) =>
      perfectRoot(below.slice(at * 256, at * 256 + 256)),
    );
    levels.push(above);
    below = above;
  }
  const tree = new TiledTree(SIZE, async (level, index, width) =>
    Buffer.concat((levels[level] ?? []).slice(index * 256, index * 256 + width)),
  );
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const key = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const note = checkpointText('portico.example/ledger', { size: SIZE, root: await tree.root() });
  const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, Buffer.from(note)));
  const checkpoint = await signedNote('portico.example/ledger', note, { key, signature });
  const proof = (await tree.inclusion(INDEX)).map((one) => one.toString('base64'));
  const entry: LedgerEntry = { number: 7, index: INDEX, salt: salt.toString('base64'), text, proof };
  const { text: _, ...proving } = entry;
  expect(Buffer.byteLength(JSON.stringify({ ...proving, checkpoint }))).toBeLessThanOrEqual(MAX_BYTES);

  const browser = await sharedChromium();
  const context = await browser.newContext();
  await closeAtEnd(context);
  const page = await context.newPage();
  // Nothing listens there: every file comes from here.
  await page.route('http://localhost/*', async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === 'page') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Try</title>' });
    const body = stripTypeScriptTypes(readFileSync(new URL(name, CORE), 'utf8'));
    return route.fulfill({ contentType: 'text/javascript', body });
  });
  await page.goto('http://localhost/page');
  const given = { entry, checkpoint, keys: [key] };
  const outcome: Outcome = await page.evaluate(async ({ entry, checkpoint, keys }) => {
    const { verifyCheckpoint } = await import('/note.ts' as string);
    const { faultOf } = await import('/record-file.ts' as string);

    const head = await verifyCheckpoint(checkpoint, keys);
    const right = await faultOf(entry, 'usr_1', head);

    const edited = await faultOf({ ...entry, text: entry.text.replace('req_1', 'req_2') }, 'usr_1', head);
    const moved = await faultOf({ ...entry, index: entry.index + 1 }, 'usr_1', head);
    return { faults: [right, edited, moved] };
  }, given);
  const wrong = 'Entry 7 does not match the log.';
  expect(outcome.faults).toEqual([null, wrong, wrong]);
});
