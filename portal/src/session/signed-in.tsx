// Session: renders the portal only once the viewer is known.
import { Center, Loader, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Failure, useFailure } from '../components/page/states.tsx';
import { Brand } from '../shell/brand.tsx';
import { useNoteZone } from './note-zone.ts';
import { usePollWhileUnreachable } from './poll-unreachable.ts';
import { useOtherTabs } from './tabs.ts';
import { type Role, useViewerQuery, ViewerContext } from './viewer.ts';

const FactorNeeded = lazy(() => import('../pages/entry/factor-needed.tsx'));

/** Refusals that have a page of their own. */
const ANSWERED: readonly string[] = ['not_signed_in', 'second_factor_required'];

export function SignedIn({ children }: { children: (role: Role) => ReactNode }) {
  const query = useViewerQuery();
  const { data, error, refetch, isFetching } = query;
  const failure = useFailure(query);
  useNoteZone(data);
  useOtherTabs(refetch);
  usePollWhileUnreachable(refetch);
  const client = useQueryClient();
  // Stays until the person continues, even if a later read finds the second factor set up or the session ended: the
  // page shows secrets that nothing shows again.
  const [factorNeeded, setFactorNeeded] = useState(false);
  if (!factorNeeded && data === undefined && error?.code === 'second_factor_required') setFactorNeeded(true);
  const goOn = () => {
    // Reads the viewer again, and then shows the requested page.
    void client.resetQueries();
    setFactorNeeded(false);
  };
  if (factorNeeded)
    return (
      <Suspense fallback={null}>
        <FactorNeeded onDone={goOn} />
      </Suspense>
    );
  if (data !== undefined) return <ViewerContext value={data}>{children(data.role as Role)}</ViewerContext>;
  return (
    <Center mih="100dvh" p="md" component="main">
      {failure === null || ANSWERED.includes(failure.code) ? (
        <Loader aria-label="Loading the portal" role="status" />
      ) : (
        <Stack gap="lg">
          <Title order={1}>
            <Brand />
          </Title>
          <Failure error={failure} retry={() => void refetch()} retrying={isFetching} />
        </Stack>
      )}
    </Center>
  );
}
