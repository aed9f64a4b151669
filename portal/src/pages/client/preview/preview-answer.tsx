// Client: a response in a preview: request, status, and the body to read or download.
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
import { CardsView } from './cards-view.tsx';
import { JsonView } from './json-view.tsx';
import classes from './preview-panel.module.css';
import type { PreviewEndpoint } from './requests.ts';

export type Shape = 'cards' | 'technical';

interface PreviewAnswerProps {
  shape: Shape;
  onShape: (shape: Shape) => void;
  endpoint: PreviewEndpoint;
  /** Path and query; null if not known yet. */
  request: string | null;
  of: UseQueryResult<BodyOf<typeof Preview>, PorticoError>;
  /** Whether what is shown is from before the last change. */
  waiting: boolean;
}

const LABEL = 'What they are answered';

export function PreviewAnswer({ shape, onShape, endpoint, request, of, waiting }: PreviewAnswerProps) {
  const { data, error, refetch } = of;
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <div className={classes.answer}>
      <div className={classes.bar}>
        <SegmentedControl
          size="xs"
          value={shape}
          onChange={(next) => onShape(next as Shape)}
          data={[
            { value: 'cards', label: 'Cards' },
            { value: 'technical', label: 'Technical' },
          ]}
          aria-label="How it is shown"
        />
        {waiting && (
          <Text size="xs" c="dimmed">
            Updating…
          </Text>
        )}
      </div>
      {data === undefined ? (
        <div className={classes.loading}>
          <BlockSkeleton lines={9} />
        </div>
      ) : shape === 'cards' ? (
        <CardsView endpoint={endpoint} body={data.body} label={LABEL} waiting={waiting} />
      ) : (
        <Technical request={request ?? ''} answer={data} waiting={waiting} />
      )}
    </div>
  );
}

interface TechnicalProps {
  request: string;
  answer: BodyOf<typeof Preview>;
  waiting: boolean;
}

/** The exact body. */
function Technical({ request, answer: { body, status }, waiting }: TechnicalProps) {
  const [form, setForm] = useState('readable');
  const bytes = useMemo(() => new TextEncoder().encode(body).length, [body]);
  return (
    <>
      <div className={classes.request}>
        <span className={classes.method}>GET</span>
        <span className={classes.path}>{request}</span>
        <CopyIcon value={request} label="request" />
      </div>
      <Group justify="space-between" gap="sm" className={classes.bar}>
        <Group gap="xs">
          {!waiting && <Status tone={status < 300 ? 'good' : 'warn'}>{status}</Status>}
          {!waiting && (
            <Text size="xs" c="dimmed" className="numbers">
              {countText(bytes)} bytes
            </Text>
          )}
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
            <CopyButton value={body} label="body">
              Copy
            </CopyButton>
          )}
        </Group>
      </Group>
      <JsonView text={body} label={LABEL} exact={form === 'exact'} waiting={waiting} />
    </>
  );
}
