// Entry: why a step before signing in failed, shown where it was taken.
import { Notice } from '../../components/page/notice.tsx';
import type { PorticoError } from '../../graphql/portico-error.ts';

export function EntryFault({ error }: { error: PorticoError | null }) {
  if (error === null) return null;
  return (
    <Notice tone="bad" alert>
      {error.message}
    </Notice>
  );
}
