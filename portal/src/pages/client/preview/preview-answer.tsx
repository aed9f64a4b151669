// Client: a response in a preview: request, status, and the body to read or download.
import { Group, Pagination, SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CopyButton, CopyIcon } from '../../../components/copy.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { countText } from '../../../components/numbers.tsx';
import { BlockSkeleton, Failure } from '../../../components/page/states.tsx';
import { Status } from '../../../components/status.tsx';
import { Preview, type PreviewQuery, type PreviewQueryVariables } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { CardsView } from './cards-view.tsx';
import { JsonView } from './json-view.tsx';
import classes from './preview-panel.module.css';
import { listFacts, type PreviewEndpoint, pageOf } from './requests.ts';

/** As cards; or technical: the body with line breaks, or exactly as sent. */
export type Shape = 'cards' | 'readable' | 'exact';

/** Variables of the operation except the request. */
export type Source = Omit<PreviewQueryVariables, 'request'>;

interface PreviewAnswerProps {
  source: Source;
  endpoint: PreviewEndpoint;
  /** Path and query of the first page. */
  request: string;
  shape: Shape;
  onShape: (shape: Shape) => void;
  /** Whether the draft has changed since. */
  waiting: boolean;
}

const LABEL = 'What they are answered';

export function PreviewAnswer({ source, endpoint, request: first, shape, onShape, ...draft }: PreviewAnswerProps) {
  const [page, setPage] = useState(1);
  const request = pageOf(first, page);
  const { data, error, refetch, isSuccess, isPlaceholderData } = useRead(
    Preview,
    { ...source, request },
    { keepPrevious: true },
  );
  const waiting = draft.waiting || isPlaceholderData;
  const body = endpoint === 'assets' ? data?.body : undefined;
  const { pages } = useMemo(() => listFacts(body), [body]);
  // The draft may have become narrower than the page shown.
  if (page > Math.max(1, pages) && isSuccess && !isPlaceholderData) setPage(1);
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <>
      <div className={classes.answer}>
        <div className={classes.bar}>
          <SegmentedControl
            size="xs"
            value={shape === 'cards' ? 'cards' : 'technical'}
            onChange={(next) => onShape(next === 'cards' ? 'cards' : 'readable')}
            data={[
              { value: 'cards', label: 'Cards' },
              { value: 'technical', label: 'Technical' },
            ]}
            aria-label="How it is shown"
          />
          {waiting && <Dimmed size="xs">Updating…</Dimmed>}
        </div>
        {data === undefined ? (
          <div className={classes.loading}>
            <BlockSkeleton lines={9} />
          </div>
        ) : shape === 'cards' ? (
          <CardsView endpoint={endpoint} body={data.body} label={LABEL} waiting={waiting} />
        ) : (
          <Technical request={request} answer={data} form={shape} onForm={onShape} waiting={waiting} />
        )}
      </div>
      {pages > 1 && (
        <Group justify="center" mt="sm">
          <Pagination
            size="sm"
            total={pages}
            value={page}
            onChange={setPage}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            aria-label="Pages of the list"
          />
        </Group>
      )}
    </>
  );
}

interface TechnicalProps {
  request: string;
  answer: PreviewQuery['body'];
  form: 'readable' | 'exact';
  onForm: (form: 'readable' | 'exact') => void;
  waiting: boolean;
}

/** The exact body. */
function Technical({ request, answer: { body, status }, form, onForm, waiting }: TechnicalProps) {
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
            <Dimmed size="xs" className="numbers">
              {countText(bytes)} bytes
            </Dimmed>
          )}
        </Group>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            value={form}
            onChange={(next) => onForm(next as 'readable' | 'exact')}
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
