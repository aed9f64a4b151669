// Receipt: its content, and the verification of its signature by a published key.

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
  categories?: readonly { code: string; name: string }[];
  item_count?: number;
  registry_ids?: readonly string[];
  collection?: { id: string; name: string | null };
}

type PublishedKey = JsonWebKey & { kid: string };

const ALGORITHM = 'Ed25519';

/**
 * Whether a key published by this gateway has signed exactly this receipt. Rejects if the browser cannot check: the
 * keys cannot be read, or Ed25519 is not supported.
 */
export async function isSigned(receipt: string, jws: string): Promise<boolean> {
  const [head = '', payload = '', signature = ''] = jws.split('.');
  const { kid } = JSON.parse(textOf(head)) as { kid: string };
  const { keys } = (await (await fetch('/.well-known/jwks.json')).json()) as { keys: PublishedKey[] };
  const published = keys.find((key) => key.kid === kid);
  if (published === undefined) return false;
  const { kty, crv, x } = published as JsonWebKey & { kty: string; crv: string; x: string };
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, ALGORITHM, false, ['verify']);
  const holds = await crypto.subtle.verify(
    ALGORITHM,
    key,
    bytesOf(signature),
    new TextEncoder().encode(`${head}.${payload}`),
  );
  return holds && textOf(payload) === receipt;
}

const textOf = (base64url: string): string => new TextDecoder().decode(bytesOf(base64url));

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Downloads the receipt as a file, with the ledger's checkpoint at that time. */
export function download(
  { receipt, jws, checkpoint }: { receipt: string; jws: string; checkpoint: string | null },
  name: string,
): void {
  const text = `${JSON.stringify({ receipt: JSON.parse(receipt), jws, checkpoint }, null, 2)}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: `${name}.json` });
  link.click();
  URL.revokeObjectURL(url);
}
