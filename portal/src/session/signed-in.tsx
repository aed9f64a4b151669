// Session: nothing of the portal is drawn before it is known for whom.
import { Center, Loader } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { Failure } from '../components/page/states.tsx';
import { useLookAgain } from './look-again.ts';
import { useNoteZone } from './note-zone.ts';
import { useOtherTabs } from './tabs.ts';
import { type Role, useViewerQuery, ViewerContext } from './viewer.ts';

const FactorNeeded = lazy(() => import('../pages/entry/factor-needed.tsx'));

export function SignedIn({ children }: { children: (role: Role) => ReactNode }) {
  const { data, error, refetch } = useViewerQuery();
  useNoteZone(data);
  useOtherTabs(refetch);
  useLookAgain(refetch);
  if (data !== undefined) return <ViewerContext value={data}>{children(data.role as Role)}</ViewerContext>;
  if (error?.code === 'second_factor_required')
    return (
      <Suspense fallback={null}>
        <FactorNeeded />
      </Suspense>
    );
  return (
    <Center mih="100dvh" p="md" component="main">
      {error === null || error.code === 'not_signed_in' ? (
        <Loader aria-label="Loading the portal" role="status" />
      ) : (
        <Failure error={error} retry={() => void refetch()} />
      )}
    </Center>
  );
}
