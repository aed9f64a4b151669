// Client: all events of all grants.
import { NativeSelect, Title } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { LOCALE } from '../../../components/locale.ts';
import { Listing } from '../../../components/page/listing.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Empty, NoMatch } from '../../../components/page/states.tsx';
import { FilterBar, useFilters } from '../../../components/table/filter-bar.tsx';
import { filterOptions } from '../../../components/table/filter-options.ts';
import { ConsentFirms, ConsentHistory } from '../../../generated/operations.ts';
import { usePages, useRead } from '../../../graphql/hooks.ts';
import classes from './history.module.css';
import { Timeline, type TimelineEvent } from './timeline.tsx';

const month = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric' });

export default function HistoryPage() {
  const { values, field, active, clear } = useFilters(['firm']);
  const firms = useFirms();
  return (
    <>
      <PageHeader
        title="Consent history"
        lead="Who asked for access, what you answered, and what happened then. Entries are never removed."
      />
      {(firms.length > 1 || active) && (
        <FilterBar active={active} onClear={clear}>
          <NativeSelect
            label="Firm"
            {...field('firm')}
            data={filterOptions(values.firm, firms, { all: 'All firms', chosen: 'The chosen firm' })}
          />
        </FilterBar>
      )}
      <History firmId={values.firm} onClear={clear} />
    </>
  );
}

function useFirms(): { value: string; label: string }[] {
  const { data = [] } = useRead(ConsentFirms, {});
  return data.map(({ firmId, firmName }) => ({ value: firmId, label: firmName }));
}

function History({ firmId, onClear }: { firmId: string | null; onClear: () => void }) {
  const reading = usePages(ConsentHistory, { first: 50, firmId });
  return (
    <Listing of={reading} more="Show earlier steps" end="There are no earlier steps.">
      {(events) => (
        <>
          {events.length === 0 && firmId !== null && (
            <NoMatch onClear={onClear}>Nothing is on record with this firm.</NoMatch>
          )}
          {events.length === 0 && firmId === null && (
            <Empty icon={IconHistory} title="Nothing has happened yet">
              Requests, approvals, changes and revocations appear here, each with who made it and when.
            </Empty>
          )}
          {byMonth(events).map(([name, ofMonth]) => (
            <section key={name} className={classes.month} aria-label={name}>
              <Title order={2} size="h3" className={classes.name}>
                {name}
              </Title>
              <Timeline events={ofMonth} />
            </section>
          ))}
        </>
      )}
    </Listing>
  );
}

function byMonth(events: readonly TimelineEvent[]): [string, TimelineEvent[]][] {
  const months = new Map<string, TimelineEvent[]>();
  for (const event of events) {
    const name = month.format(new Date(event.at));
    months.set(name, [...(months.get(name) ?? []), event]);
  }
  return [...months];
}
