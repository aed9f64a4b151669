// Operations: the state of Redis, the database and the queues of writes.
import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { countText, decimalText } from '../../components/numbers.tsx';
import type { Fact } from '../../components/page/section.tsx';
import { Status, type Tone } from '../../components/status.tsx';
import { type Column, DataTable } from '../../components/table/data-table.tsx';
import { Time } from '../../components/time.tsx';
import type { GatewayProcessesQuery, SystemStateQuery } from '../../generated/operations.ts';
import classes from './limits.module.css';

type State = SystemStateQuery['body'];
type Process = GatewayProcessesQuery['body'][number];

const LIMITER: Record<string, [Tone, string, string]> = {
  redis: ['good', 'Redis', 'Shared by all gateways'],
  local: ['bad', 'Fallback', 'Redis is unavailable: each gateway counts for itself'],
  recovering: ['warn', 'Recovering', 'Redis is back: the smaller of both counts for a minute'],
  standalone: ['calm', 'In the process', 'No Redis configured: one process'],
};

interface SystemOverviewProps {
  state: State;
  /** Empty in the first second of the first process. */
  processes: readonly Process[];
}

export function SystemOverview({ state: { limiter, database, replicas, records }, processes }: SystemOverviewProps) {
  const waiting =
    processes.length === 0 ? records.waiting : processes.reduce((sum, one) => sum + one.recordsWaiting, 0);
  return (
    <>
      <div className={classes.systems}>
        <Limiter of={limiter} processes={processes.filter(({ silent }) => !silent)} />
        <Database of={database} replicas={replicas} />
        <System
          title="Access records"
          status={<Status tone={waiting > 1000 ? 'warn' : 'good'}>{waiting > 1000 ? 'Behind' : 'Saved'}</Status>}
          facts={[
            ['Waiting to be saved', countText(waiting)],
            ['Processes that serve', countText(processes.filter(({ silent }) => !silent).length)],
          ]}
        />
      </div>
      {processes.length > 0 && (
        <div className={classes.processes}>
          <DataTable label="Processes" columns={PROCESS_COLUMNS} rows={processes} rowId="id" />
        </div>
      )}
    </>
  );
}

const PROCESS_COLUMNS: readonly Column<Process>[] = [
  {
    header: 'Process',
    grow: 2,
    heading: true,
    cell: ({ host }) => <span className="breakable">{host}</span>,
  },
  {
    header: 'Limits',
    min: '8rem',
    cell: ({ silent, limiter, limiterReason }) => {
      if (silent) return <Status tone="bad">Silent</Status>;
      const [tone, word] = LIMITER[limiter] ?? ['calm', limiter];
      return (
        <span title={limiterReason ?? undefined}>
          <Status tone={tone}>{word}</Status>
        </span>
      );
    },
  },
  { header: 'Since', min: '6rem', cell: ({ limiterSince }) => <Time at={limiterSince} as="relative" /> },
  {
    header: 'Records waiting',
    min: '6rem',
    cell: ({ recordsWaiting }) => <span className="numbers">{countText(recordsWaiting)}</span>,
  },
  {
    header: 'Replicas away',
    min: '6rem',
    cell: ({ replicasAway }) => <span className="numbers">{countText(replicasAway)}</span>,
  },
  { header: 'Runs since', min: '6rem', cell: ({ startedAt }) => <Time at={startedAt} as="relative" /> },
  { header: 'Heard from', min: '6rem', cell: ({ seenAt }) => <Time at={seenAt} as="relative" /> },
];

/** Worst first. */
const BY_TROUBLE = ['local', 'recovering', 'redis', 'standalone'];

function Limiter({ of, processes }: { of: State['limiter']; processes: readonly Process[] }) {
  const worst = processes.toSorted((a, b) => BY_TROUBLE.indexOf(a.limiter) - BY_TROUBLE.indexOf(b.limiter))[0];
  const { state, since, reason } =
    worst === undefined ? of : { state: worst.limiter, since: worst.limiterSince, reason: worst.limiterReason };
  const alike = processes.filter(({ limiter }) => limiter === state).length;
  const [tone, word, meaning] = LIMITER[state] ?? ['calm', state, ''];
  return (
    <System
      title="Limiter"
      status={<Status tone={tone}>{word}</Status>}
      facts={[
        ['Counts', meaning],
        ['Same state in', processes.length > 1 ? `${alike} of ${processes.length} processes` : null],
        ['Since', <Time key="since" at={since} as="relative" />],
        ['Redis answers in', of.latencyMs === null ? null : milliseconds(of.latencyMs)],
      ]}
      reason={reason}
    />
  );
}

function Database({ of, replicas }: { of: State['database']; replicas: State['replicas'] }) {
  if (of === null)
    return (
      <System
        title="Database"
        status={<Status tone="bad">Away</Status>}
        facts={[]}
        reason="It does not answer; requests are answered with 503 until it does."
      />
    );
  const { latencyMs, version, sizeBytes, connections, mostConnections } = of;
  return (
    <System
      title="Database"
      status={<Status tone={latencyMs > 100 ? 'warn' : 'good'}>{latencyMs > 100 ? 'Slow' : 'Answers'}</Status>}
      facts={[
        ['Answers in', milliseconds(latencyMs)],
        ['PostgreSQL', version],
        ['Size', bytes(sizeBytes)],
        [
          'Connections',
          connections === null || mostConnections === null
            ? null
            : `${countText(connections)} of ${countText(mostConnections)}`,
        ],
        ...replicas.map(
          ({ name, usable }): Fact => [`Replica ${name}`, usable ? 'In use' : 'Behind or unavailable: not used'],
        ),
      ]}
    />
  );
}

interface SystemProps {
  title: string;
  status: ReactNode;
  /** Omitted where the value is null. */
  facts: readonly Fact[];
  reason?: string | null;
}

function System({ title, status, facts, reason }: SystemProps) {
  const id = useId();
  const known = facts.filter(([, value]) => value !== null);
  return (
    <section className={classes.system} aria-labelledby={id}>
      <div className={classes.systemHead}>
        <Title order={3} id={id}>
          {title}
        </Title>
        {status}
      </div>
      {known.length > 0 && (
        <dl>
          {known.map(([name, value]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd className="numbers">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {reason && <p className={classes.reason}>{reason}</p>}
    </section>
  );
}

const milliseconds = (time: number): string => `${decimalText(time < 10 ? time : Math.round(time))} ms`;

function bytes(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  return `${decimalText(size / 1000 ** step)} ${units[step]}`;
}
