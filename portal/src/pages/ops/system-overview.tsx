// Operations: how Redis, the database and what waits to be written stand.
import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { countText } from '../../components/numbers.tsx';
import { Status, type Tone } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import type { SystemState } from '../../generated/operations.ts';
import type { BodyOf } from '../../graphql/operation.ts';
import classes from './limits.module.css';

type State = BodyOf<typeof SystemState>;

const LIMITER: Record<string, [Tone, string, string]> = {
  redis: ['good', 'Redis', 'Shared by all gateways'],
  local: ['bad', 'Fallback', 'Redis is away: each gateway counts for itself'],
  recovering: ['warn', 'Recovering', 'Redis is back: the smaller of both counts for a minute'],
  standalone: ['calm', 'In the process', 'No Redis configured: one process'],
};

export function SystemOverview({ state: { limiter, database, replicas, records, startedAt } }: { state: State }) {
  return (
    <div className={classes.systems}>
      <Limiter of={limiter} />
      <Database of={database} replicas={replicas} />
      <System
        title="Access records"
        status={
          <Status tone={records.waiting > 1000 ? 'warn' : 'good'}>{records.waiting > 1000 ? 'Behind' : 'Saved'}</Status>
        }
        facts={[
          ['Waiting to be saved', countText(records.waiting)],
          ['Saved by this process', countText(records.saved)],
          ['Process runs since', <Time key="since" at={startedAt} as="relative" />],
        ]}
      />
    </div>
  );
}

function Limiter({ of: { state, since, latencyMs, reason } }: { of: State['limiter'] }) {
  const [tone, word, meaning] = LIMITER[state] ?? ['calm', state, ''];
  return (
    <System
      title="Limiter"
      status={<Status tone={tone}>{word}</Status>}
      facts={[
        ['Counts', meaning],
        ['Since', <Time key="since" at={since} as="relative" />],
        ...(latencyMs === null ? [] : [['Redis answers in', milliseconds(latencyMs)] as const]),
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
        ...(connections === null || mostConnections === null
          ? []
          : [['Connections', `${countText(connections)} of ${countText(mostConnections)}`] as const]),
        ...replicas.map(
          ({ name, usable }) => [`Replica ${name}`, usable ? 'In use' : 'Behind or away: not asked'] as const,
        ),
      ]}
    />
  );
}

interface SystemProps {
  title: string;
  status: ReactNode;
  facts: readonly (readonly [name: string, value: ReactNode])[];
  reason?: string | null;
}

function System({ title, status, facts, reason }: SystemProps) {
  const id = useId();
  return (
    <section className={classes.system} aria-labelledby={id}>
      <div className={classes.systemHead}>
        <Title order={3} id={id}>
          {title}
        </Title>
        {status}
      </div>
      {facts.length > 0 && (
        <dl>
          {facts.map(([name, value]) => (
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

const milliseconds = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;

function bytes(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  return `${(size / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}
