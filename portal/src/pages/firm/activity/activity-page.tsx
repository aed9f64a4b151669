// Firm: the activity of the firm's keys: volume, outcomes, errors, and the latest calls.
import { NativeSelect } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { DaysFigure } from '../../../components/charts/charts.tsx';
import { LOCALE } from '../../../components/locale.ts';
import { countText } from '../../../components/numbers.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Figures, Section } from '../../../components/page/section.tsx';
import { Settling } from '../../../components/page/settling.tsx';
import { BlockSkeleton, Empty, Reading } from '../../../components/page/states.tsx';
import { useFilters } from '../../../components/table/filter-bar.tsx';
import { isOneOf } from '../../../components/table/filter-options.ts';
import { ZONE } from '../../../components/time.tsx';
import { Activity, type ActivityQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useKeyFilter } from '../keys/use-key-filter.ts';
import classes from './activity.module.css';
import { ActivityShares } from './activity-shares.tsx';
import { CALL_FILTERS, CALLS, type CallFilters, CallList, KNOWN, NOT_NARROWED } from './call-list.tsx';
import { ErrorTable } from './error-table.tsx';

const SPANS = [
  { value: '', label: '30 days' },
  { value: '7', label: '7 days' },
  { value: '90', label: '90 days' },
];

export default function ActivityPage() {
  const filters = useFilters(['days', ...CALL_FILTERS], { ...KNOWN, days: isOneOf(SPANS) });
  const { values, field } = filters;
  const days = Number(values.days ?? 30);
  const reading = useRead(Activity, { days, keyId: values.key, zone: ZONE }, { keepPrevious: true, every: 60_000 });
  const keys = useKeyFilter(values.key);
  return (
    <>
      <PageHeader
        title="Activity"
        lead="Every call of your keys, also those that were refused."
        actions={
          <>
            <NativeSelect aria-label="Key" {...field('key')} data={keys} className={classes.key} />
            <NativeSelect aria-label="Time span" {...field('days')} data={SPANS} />
          </>
        }
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={12} />}>
        {(activity) =>
          activity.total.requests === 0 && values.key === null && !reading.isPlaceholderData ? (
            <NoCalls />
          ) : (
            <Settling busy={reading.isPlaceholderData}>
              <Charts of={activity} filters={filters} />
            </Settling>
          )
        }
      </Reading>
      {(reading.data === undefined || reading.data.total.requests > 0 || filters.active) && (
        <CallList filters={filters} unlisted={reading.data?.unlisted ?? 0} />
      )}
    </>
  );
}

function NoCalls() {
  return (
    <Empty icon={IconActivity} title="No calls in this time">
      Every call made with one of your keys is counted here, whatever its outcome: how many there were, how they ended,
      and why. A call with a key that is not one of yours, or without any, is not.
    </Empty>
  );
}

function Charts({ of: activity, filters }: { of: ActivityQuery['body']; filters: CallFilters }) {
  const show = (error: string) => {
    filters.set({ ...NOT_NARROWED, error });
    document.getElementById(CALLS)?.scrollIntoView();
  };
  return (
    <>
      <Figures of={figuresOf(activity.total)} />
      <Section title="By day" lead={`Days are those of ${ZONE}.`}>
        <DaysFigure days={activity.days} />
      </Section>
      <ActivityShares of={activity} filters={filters} />
      {activity.byError.length > 0 && (
        <Section title="Errors explained">
          <ErrorTable errors={activity.byError} onShow={show} />
        </Section>
      )}
    </>
  );
}

const figuresOf = ({ requests, ok, refused, limited, failed }: ActivityQuery['body']['total']) => [
  { label: 'Requests', value: countText(requests) },
  { label: 'Answered', value: share(ok, requests), note: countText(ok) },
  { label: 'Refused', value: countText(refused), note: 'without access, or with a mistake' },
  { label: 'Over the limit', value: countText(limited), note: 'answered 429' },
  { label: 'Failed', value: countText(failed), note: 'on our side' },
];

const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });

const share = (part: number, whole: number): string => (whole === 0 ? '–' : percent.format(part / whole));
