// Session: tells the portal in which zone the viewer reads times, for the mails that it sends them.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ZONE } from '../components/time.tsx';
import { NoteTimeZone, Viewer } from '../generated/operations.ts';
import { call } from '../graphql/call.ts';
import { keyOf } from '../graphql/hooks.ts';
import type { ViewerBody } from './viewer.ts';

/** Once a visit, where it differs; what fails is tried at the next visit. */
export function useNoteZone(viewer: ViewerBody | undefined): void {
  const client = useQueryClient();
  const differs = viewer !== undefined && viewer.timeZone !== ZONE;
  const userId = viewer?.userId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each viewer once.
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
