// Receipt: its content, and the verification of its signature by a published key.
import { holds, type PublicKey } from '#core/ledger/note.ts';
import { bytesOfBase64url } from '#core/ledger/proofs.ts';
import { saveFile } from '../../components/save-file.ts';
import { exchange } from '../../graphql/exchange.ts';

/** The parts of a receipt that the page shows; see `ConsentReceipt` in the schema. */
export interface ReceiptWords {
  receipt_id: string;
  pii_processing: {
    purposes: readonly {
      purpose: string | null;
      pii_information: readonly { pii_type: string; description: string }[];
      items: ReceiptItems;
      withdrawal_method: string;
    }[];
  };
  party_identification: readonly ({ party_id: string | null; party_type: string; party_name: string | null } & Partial<
    Record<'party_address' | 'party_url' | 'party_email' | 'party_phone', string | null>
  >)[];
  event: {
    event_time: string;
    event_state: string;
    action: string;
    entity: { kind: string; name: string };
    valid_until: string | null;
  };
}

export interface ReceiptItems {
  type: string;
  categories?: { code: string; name: string }[];
  item_count?: number;
  registry_ids?: readonly string[];
  collection?: { id: string; name: string | null };
}

type PublishedKey = PublicKey & { kid: string };

/**
 * Whether a key published by this gateway has signed exactly this receipt. Rejects if the browser cannot check: the
 * keys cannot be read, or Ed25519 is not supported.
 */
export async function isSigned(receipt: string, jws: string): Promise<boolean> {
  const [head = '', payload = '', signature = ''] = jws.split('.');
  const { kid } = JSON.parse(textOf(head)) as { kid: string };
  const { keys } = (await exchange('/.well-known/jwks.json')) as { keys: PublishedKey[] };
  const published = keys.find((key) => key.kid === kid);
  if (published === undefined) return false;
  return (await holds(published, bytesOfBase64url(signature), `${head}.${payload}`)) && textOf(payload) === receipt;
}

const textOf = (base64url: string): string => new TextDecoder().decode(bytesOfBase64url(base64url));

/** Downloads the receipt as a file, with the ledger's checkpoint at that time. */
export function download(
  { receipt, jws, checkpoint }: { receipt: string; jws: string; checkpoint: string | null },
  name: string,
): void {
  const text = `${JSON.stringify({ receipt: JSON.parse(receipt), jws, checkpoint }, null, 2)}\n`;
  saveFile(`${name}.json`, 'application/json', text);
}
