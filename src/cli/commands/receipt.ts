// Command line: `portico receipt …`.
import { rotateSigningKey, verifyReceipt } from '#gateway/consent/receipt-signature.ts';
import { publishedKeys, readText } from '../files.ts';
import { asFailure, type CommandHost, print } from '../host.ts';
import { withDatabase } from '../session.ts';
import { facts } from '../table.ts';

export function registerReceipt({ program, config, json }: CommandHost): void {
  const receipt = program.command('receipt').description('signed receipts of what clients consented to');
  receipt
    .command('verify')
    .argument('<file>', 'the receipt, as the portal gave it')
    .description('check that this deployment signed a receipt, and that it was not changed')
    .option('--keys <file>', 'the published keys (/.well-known/jwks.json); absent: those in the database')
    .action(async (file: string, { keys }: { keys?: string }) => {
      const text = await readText(file);
      const published = await publishedKeys({ config }, keys);
      const verified = await verifyReceipt(text, published).catch(asFailure(file));
      const { event, receipt_id: id } = verified;
      const details = { step: event.action, at: event.event_time, state: event.event_state };
      print(json(), verified, facts(`The signature of receipt ${id} is valid.`, details));
    });
  receipt
    .command('rotate-key')
    .description('sign receipts with a new key from now on; earlier receipts can still be verified')
    .action(() =>
      withDatabase(config(), async (database) => {
        const id = await rotateSigningKey(database);
        print(json(), { id }, `Receipts are signed with key ${id} from now on.`);
      }),
    );
}
