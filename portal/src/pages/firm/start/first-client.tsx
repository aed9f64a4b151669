// Firm: the clients who grant a key access, or how to find one.
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { Grants } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';

const ENOUGH = 5;

/** The newest active grants of the key. */
export const useFirstClient = (keyId: string | undefined) =>
  useRead(Grants, { status: ['active'], keyId: keyId ?? null, first: ENOUGH }, { enabled: keyId !== undefined });

export function FirstClient({ keyId }: { keyId: string | undefined }) {
  const { data } = useFirstClient(keyId);
  if (keyId === undefined) return <p>A client decides what a key sees. Create the key first.</p>;
  if (data === undefined) return <p>Looking for one…</p>;
  if (data.nodes.length === 0)
    return (
      <>
        <p>No client grants this key access yet. Ask a sandbox client; they answer in their own account.</p>
        <Button component={Link} href={`/access/ask?key=${keyId}`} variant="default">
          Ask for access
        </Button>
      </>
    );
  const more = data.totalItems - data.nodes.length;
  return (
    <p>
      {data.nodes.map(({ clientName }) => clientName).join(', ')}
      {more > 0 && ` and ${more} more`} {data.totalItems === 1 ? 'grants' : 'grant'} it access.
    </p>
  );
}
