// Client: one answer of a preview: the request, the status, and the body to read or to take along.
import { Group, SegmentedControl, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { CopyButton, CopyIcon } from '../../../components/copy.tsx';
import { countText } from '../../../components/numbers.tsx';
import { BlockSkeleton, Failure } from '../../../components/page/states.tsx';
import { Status } from '../../../components/status.tsx';
import type { Preview } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';
import type { PorticoError } from '../../../graphql/portico-error.ts';
import { JsonView } from './json-view.tsx';
import classes from './preview-panel.module.css';

interface PreviewAnswerProps {
  /** Path and query; null: not known yet. */
  request: string | null;
  of: UseQueryResult<BodyOf<typeof Preview>, PorticoError>;
  /** What is shown is of before the last change. */
  waiting: boolean;
}

export function PreviewAnswer({ request, of: { data, error, refetch }, waiting }: PreviewAnswerProps) {
  const [form, setForm] = useState('readable');
  const bytes = useMemo(() => new TextEncoder().encode(data?.body ?? '').length, [data]);
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <div className={classes.answer}>
      <div className={classes.request}>
        <span className={classes.method}>GET</span>
        <span className={classes.path}>{request ?? '…'}</span>
        <CopyIcon value={request ?? ''} label="request" />
      </div>
      {data === undefined ? (
        <div className={classes.loading}>
          <BlockSkeleton lines={9} />
        </div>
      ) : (
        <>
          <Group justify="space-between" gap="sm" className={classes.bar}>
            <Group gap="xs">
              {!waiting && <Status tone={data.status < 300 ? 'good' : 'warn'}>{data.status}</Status>}
              <Text size="xs" c="dimmed" className="numbers">
                {waiting ? 'Updating…' : `${countText(bytes)} bytes`}
              </Text>
            </Group>
            <Group gap="xs">
              <SegmentedControl
                size="xs"
                value={form}
                onChange={setForm}
                data={[
                  { value: 'readable', label: 'Readable' },
                  { value: 'exact', label: 'Exact' },
                ]}
                aria-label="How the body is shown"
              />
              {!waiting && (
                <CopyButton value={data.body} label="body">
                  Copy
                </CopyButton>
              )}
            </Group>
          </Group>
          <JsonView text={data.body} label="What they are answered" exact={form === 'exact'} waiting={waiting} />
        </>
      )}
    </div>
  );
}
