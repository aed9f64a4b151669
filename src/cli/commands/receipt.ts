// Command line: `portico receipt …`.
import { readFile } from 'node:fs/promises';
import { type KeySet, readKeySet, rotateSigningKey, verifyReceipt } from '#gateway/consent/receipt-signature.ts';
import { CommandFailure, type CommandHost, print } from '../host.ts';
import { withDatabase } from '../session.ts';
import { facts } from '../table.ts';

export function registerReceipt({ program, config, json }: CommandHost): void {
  const receipt = program.command('receipt').description('signed receipts of what clients consented to');
  receipt
    .command('verify')
    .argument('<file>', 'the receipt, as the portal gave it')
    .description('check that a receipt was signed by this deployment and not changed since')
    .option('--keys <file>', 'the published keys (/.well-known/jwks.json), in place of those in the database')
    .action(async (file: string, { keys }: { keys?: string }) => {
      const text = await read(file);
      const published = keys === undefined ? await withDatabase(config(), readKeySet) : await readKeys(keys);
      const verified = await verifyReceipt(text, published).catch((error: Error) => {
        throw new CommandFailure(`${file}: ${error.message}`);
      });
      const { event, receipt_id: id } = verified;
      const told = { step: event.action, at: event.event_time, state: event.event_state };
      print(json(), verified, facts(`The signature of receipt ${id} holds.`, told));
    });
  receipt
    .command('rotate-key')
    .description('sign receipts with a new key from now on; those signed before can still be verified')
    .action(() =>
      withDatabase(config(), async (database) => {
        const id = await rotateSigningKey(database);
        print(json(), { id }, `Receipts are signed with key ${id} from now on.`);
      }),
    );
}

async function readKeys(file: string): Promise<KeySet> {
  const text = await read(file);
  try {
    const set = JSON.parse(text) as KeySet;
    if (Array.isArray(set.keys)) return set;
  } catch {
    // It is no JSON at all.
  }
  throw new CommandFailure(`${file} is no JSON Web Key Set: an object with "keys"`);
}

function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandFailure(`${file} cannot be read: ${error.message}`);
  });
}
