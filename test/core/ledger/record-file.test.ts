// Risk: the check of a damaged record ends with a parser error instead of a finding that names the damaged entry.

import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkpointText, type PublicKey, signedNote } from '#core/ledger/note.ts';
import { base64Of, commitmentOf, hashOfLeaf } from '#core/ledger/proofs.ts';
import {
  type LedgerEntry,
  type LedgerRecord,
  RECORD_FORMAT,
  readRecordFile,
  verifyRecord,
} from '#core/ledger/record-file.ts';

const subject = 'usr_1';
const salt = new Uint8Array(32).fill(7);
const entry: LedgerEntry = {
  ...{ number: 1, index: 0, salt: base64Of(salt), proof: [] },
  text: JSON.stringify({ kind: 'call', id: 'req_1', client: subject }),
};
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ format: 'jwk' }) as PublicKey;

/** The record of a log with one entry, in which `shown` replaces that entry. */
async function recordWith(shown: LedgerEntry): Promise<LedgerRecord> {
  const root = await hashOfLeaf(await commitmentOf(salt, entry.number, entry.text));
  const text = checkpointText('a.example/ledger', { size: 1, root });
  const signature = sign(null, Buffer.from(text), privateKey);
  const checkpoint = await signedNote('a.example/ledger', text, { key, signature });
  return { format: RECORD_FORMAT, subject, checkpoint, count: 1, entries: [shown] };
}

const findingsOf = async (shown: LedgerEntry) =>
  (await verifyRecord(await recordWith(shown), [key])).findings.map(({ kind, text }) => `${kind}: ${text}`);

it('an unchanged entry is proven', async () => {
  expect(await verifyRecord(await recordWith(entry), [key])).toMatchObject({ proven: 1, from: 1, findings: [] });
});

it.each([
  ['text that is not JSON', { text: `${entry.text}}` }],
  ['text that is not an object', { text: 'null' }],
  ['a salt that is not Base64', { salt: '%' }],
  ['a proof that is not Base64', { proof: ['%'] }],
  ['a number that is not an integer', { number: 1.5 }],
])('an entry with %s is reported as not matching the log', async (_, garbled) => {
  const { number } = { ...entry, ...garbled };
  const findings = await findingsOf({ ...entry, ...garbled });
  expect(findings[0]).toBe(`entry: Entry ${number} does not match the log.`);
});

it('an entry of another subject is reported as such', async () => {
  const record = { ...(await recordWith(entry)), subject: 'usr_2' };
  const { findings } = await verifyRecord(record, [key]);
  expect(findings[0]?.text).toBe("Entry 1 is another subject's.");
});

it.each([
  ['an entry that is not an object', ['null']],
  ['a number in place of an entry', ['1']],
])('a file with %s is refused', async (_, lines) => {
  const { entries: _entries, ...head } = await recordWith(entry);
  expect(() => readRecordFile([JSON.stringify(head), ...lines].join('\n'))).toThrow('it is not a file of the form');
});
