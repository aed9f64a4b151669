// `portico receipt verify`: checks a receipt with the keys of the database or with published keys.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import type { Receipt } from '#gateway/consent/receipt.ts';
import { readKeySet, rotateSigningKey, signReceipt } from '#gateway/consent/receipt-signature.ts';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { untilBlocked } from '#test/support/locks.ts';

let target: TestDatabase;
let database: Database;
let directory: string;
beforeAll(async () => {
  target = await createMigratedDatabase();
  database = await openDatabase({ url: target.url });
  directory = mkdtempSync(join(tmpdir(), 'portico-receipt-'));
});
afterAll(async () => {
  await database.close();
  await target.drop();
  rmSync(directory, { recursive: true, force: true });
});

const receipt = {
  receipt_id: 'grt_1.7',
  event: { action: 'approve', event_time: '2026-01-01T00:00:00.000Z', event_state: 'given' },
} as Receipt;

it('verify accepts receipts of current and replaced keys, and refuses others with a reason', async () => {
  const file = join(directory, 'receipt.json');
  const signed = await signReceipt(database, receipt);
  writeFileSync(file, JSON.stringify(signed, null, 2));
  const env = { DATABASE_URL: target.url };
  const verified = await runHere(env, 'receipt', 'verify', file);
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  expect(verified.stdout).toContain('The signature of receipt grt_1.7 is valid.');
  expect(JSON.parse((await runHere(env, 'receipt', 'verify', file, '--json')).stdout)).toEqual(receipt);

  const old = join(directory, 'keys.json');
  writeFileSync(old, JSON.stringify(await readKeySet(database)));
  const rotated = JSON.parse((await runHere(env, 'receipt', 'rotate-key', '--json')).stdout);
  expect((await readKeySet(database)).keys[0]?.kid).toBe(rotated.id);
  expect(await runHere(env, 'receipt', 'verify', file)).toMatchObject({ code: 0 });
  expect(await runHere({}, 'receipt', 'verify', file, '--keys', old)).toMatchObject({ code: 0 });

  writeFileSync(file, JSON.stringify(await signReceipt(database, receipt)));
  const unknown = await runHere({}, 'receipt', 'verify', file, '--keys', old);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toContain(`${file}: none of the published keys has signed it`);
  writeFileSync(old, 'no keys');
  for (const [path, keys] of [
    ['/does/not/exist', old],
    [file, '/does/not/exist'],
    [file, old],
  ] as const) {
    const refused = await runHere({}, 'receipt', 'verify', path, '--keys', keys);
    expect([refused.code, refused.stderr.includes('    at ')]).toEqual([1, false]);
  }
});

it('of two rotations at once the second retires the key of the first', async () => {
  let rotations: Promise<string>[] = [];
  await database.transaction(async (sql) => {
    await sql.query({ text: 'lock table signing_keys in share row exclusive mode' });
    rotations = [rotateSigningKey(database), rotateSigningKey(database)];
    await untilBlocked(database, 2);
  });
  const rotated = await Promise.all(rotations);
  const published = (await readKeySet(database)).keys.map(({ kid }) => kid);
  expect(published).toEqual(expect.arrayContaining(rotated));
  expect(rotated).toContain(published[0]);
});
