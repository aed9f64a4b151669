// Session: reports the viewer's time zone to the portal, for the times in mails.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ZONE } from '../components/time.tsx';
import { NoteTimeZone, Viewer } from '../generated/operations.ts';
import { call } from '../graphql/call.ts';
import { keyOf } from '../graphql/hooks.ts';
import type { ViewerBody } from './viewer.ts';

/** Once per visit, if it differs. A failure is retried at the next visit. */
export function useNoteZone(viewer: ViewerBody | undefined): void {
  const client = useQueryClient();
  const differs = viewer !== undefined && viewer.timeZone !== ZONE;
  const userId = viewer?.userId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each viewer.
  useEffect(() => {
    if (!differs) return;
    const noted = (known: ViewerBody | undefined, timeZone: string): ViewerBody | undefined =>
      known === undefined || known.userId !== userId ? known : { ...known, timeZone };
    call(NoteTimeZone, { zone: ZONE }).then(
      (zone) => client.setQueryData<ViewerBody>(keyOf(Viewer, {}), (known) => noted(known, zone)),
      () => undefined,
    );
  }, [userId]);
}
