// Operations: the present use of all limits, and the state of the limiter.
import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { NEAR_PERCENT } from '#core/near-limit.ts';
import { LOCALE } from '../../components/locale.ts';
import { countOf, countText } from '../../components/numbers.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { Figures, Section } from '../../components/page/section.tsx';
import { BlockSkeleton, Reading, RefetchFailure } from '../../components/page/states.tsx';
import { Status } from '../../components/status.tsx';
import { useFilters } from '../../components/table/filter-bar.tsx';
import { GatewayProcesses, Limits, type LimitsQuery, SystemState } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import { HistorySection } from './history-section.tsx';
import { LimitList } from './limit-list.tsx';
import { ShadowNotice, TierSection } from './shadow.tsx';
import { SystemOverview } from './system-overview.tsx';
import { UnauthenticatedCallsSection } from './unauthenticated-calls-section.tsx';

const EVERY = 3_000;

const KeyDrawer = lazy(() => import('./key-drawer.tsx'));

export default function LimitsPage() {
  const [live, setLive] = useState(true);
  const every = live && EVERY;
  const limits = useRead(Limits, {}, { every });
  const system = useRead(SystemState, {}, { every });
  const processes = useRead(GatewayProcesses, {}, { every });
  return (
    <>
      <PageHeader
        title="Limits"
        aside={<Pulse live={live} failed={limits.error !== null} at={limits.dataUpdatedAt} />}
        lead="Every usable key against its limit of requests in any 60 seconds."
        actions={
          <Button
            variant="default"
            onClick={() => setLive(!live)}
            leftSection={live ? <IconPlayerPause size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />}
          >
            {live ? 'Pause' : 'Resume'}
          </Button>
        }
      />
      <RefetchFailure of={limits} />
      <Reading of={limits}>
        {(keys) => (
          <>
            <ShadowNotice every={every} />
            <Totals keys={keys} />
            <HistorySection live={live} />
            <Section title="Keys by use">
              <LimitList keys={keys} />
            </Section>
            <TierSection every={every} />
            <UnauthenticatedCallsSection />
            <Section
              title="What keeps the limits"
              lead="Every serving process, as of its last report. One that fell silent is shown for an hour."
            >
              <Reading of={system} skeleton={<BlockSkeleton lines={4} />}>
                {(state) => (
                  <Reading of={processes} skeleton={<BlockSkeleton lines={4} />}>
                    {(found) => <SystemOverview state={state} processes={found} />}
                  </Reading>
                )}
              </Reading>
            </Section>
          </>
        )}
      </Reading>
      <SelectedKey live={live} />
    </>
  );
}

/** Loaded when a key is first opened, and kept so that its closing can be animated. */
function SelectedKey({ live }: { live: boolean }) {
  const { values } = useFilters(['key']);
  const [wanted, want] = useState(false);
  if (values.key !== null && !wanted) want(true);
  return wanted ? (
    <Suspense fallback={null}>
      <KeyDrawer live={live} />
    </Suspense>
  ) : null;
}

const clock = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium' });

/** `at`: the time of the figures. */
function Pulse({ live, failed, at }: { live: boolean; failed: boolean; at: number }) {
  if (at === 0) return null;
  const [tone, word] = failed
    ? (['bad', 'Out of date'] as const)
    : live
      ? (['good', 'Live'] as const)
      : (['calm', 'Paused'] as const);
  return <Status tone={tone}>{`${word} · ${clock.format(at)}`}</Status>;
}

function Totals({ keys }: { keys: LimitsQuery['body'] }) {
  const busy = keys.filter(({ used }) => used > 0).length;
  const near = keys.filter((key) => key.near).length;
  const sum = (of: 'used' | 'refused' | 'wouldRefuse') => keys.reduce((total, key) => total + key[of], 0);
  const letPass = sum('wouldRefuse');
  const note = letPass > 0 ? { note: `and ${countText(letPass)} let pass in shadow mode` } : {};
  return (
    <Figures
      of={[
        { label: 'Requests in the last minute', value: countText(sum('used')) },
        { label: 'Refused in the last minute', value: countText(sum('refused')), ...note },
        { label: 'Near their limit', value: countText(near), note: `at ${NEAR_PERCENT} % or more` },
        { label: 'Keys in use', value: countText(busy), note: `of ${countOf(keys.length, 'usable key')}` },
      ]}
    />
  );
}
