// Entry: why a step before signing in failed, shown where it was taken.
import { Notice } from '../../components/page/notice.tsx';
import type { PorticoError } from '../../graphql/portico-error.ts';

export function EntryFault({ error }: { error: PorticoError | null }) {
  return <div role="alert">{error !== null && <Notice tone="bad">{error.message}</Notice>}</div>;
}
