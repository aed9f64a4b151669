// Client: the exact responses that a partner gets through a grant or a draft of one.
import { Group, NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { memo, useMemo, useState } from 'react';
import { Dimmed } from '../../../components/dimmed.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { OwnItems, Preview } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import type { PorticoError } from '../../../graphql/portico-error.ts';
import { useViewer } from '../../../session/viewer.ts';
import { ItemSelect } from '../item-select.tsx';
import { type Draft, filterInput, isComplete } from '../terms/draft.ts';
import { PreviewAnswer, type Shape, type Source } from './preview-answer.tsx';
import classes from './preview-panel.module.css';
import { isOfItem, listFacts, PREVIEW_ENDPOINTS, type PreviewEndpoint, requestOf } from './requests.ts';

interface PreviewPanelProps {
  /** A grant, or a key without one. */
  of: { grantId: string } | { keyId: string };
  /** The draft to preview; null for the grant's own terms. */
  draft: Draft | null;
}

/** Follows the draft shortly after its last change. */
export function PreviewPanel({ of, draft }: PreviewPanelProps) {
  const [settled] = useDebouncedValue(draft, 300);
  // Held here, so that the choice is kept while there is nothing to show.
  const [shape, setShape] = useState<Shape>('cards');
  const { grantId, keyId } = { grantId: undefined, keyId: undefined, ...of };
  const scopes = settled?.scopes;
  const items = settled?.items;
  const source = useMemo(
    (): Source => ({
      ...(grantId === undefined ? { keyId } : { grantId }),
      ...(scopes === undefined || items === undefined ? {} : { scopes: [...scopes], filter: filterInput(items) }),
    }),
    [grantId, keyId, scopes, items],
  );
  if (settled !== null && (!isComplete(settled.items) || settled.scopes.length === 0))
    return (
      <Dimmed className={classes.nothing}>
        Choose what they see and of which items. What they would receive then appears here.
      </Dimmed>
    );
  return <Choices source={source} waiting={settled !== draft} shape={shape} onShape={setShape} />;
}

interface ChoicesProps {
  source: Source;
  waiting: boolean;
  shape: Shape;
  onShape: (shape: Shape) => void;
}

/** Not rendered again while the form beside it changes. */
const Choices = memo(function Choices({ source, waiting, shape, onShape }: ChoicesProps) {
  const { userId: clientId } = useViewer();
  const [endpoint, setEndpoint] = useState<PreviewEndpoint>('assets');
  const [item, setItem] = useState<string | null>(null);
  const ofItem = isOfItem(endpoint);
  const first = useFirstItem(source, ofItem && item === null);
  const registryId = item ?? first.registryId;
  const request = requestOf({ endpoint, clientId, registryId });
  return (
    <>
      <Group gap="sm" align="flex-end" mb="md">
        <NativeSelect
          label="They ask for"
          value={endpoint}
          onChange={(event) => setEndpoint(event.currentTarget.value as PreviewEndpoint)}
          data={PREVIEW_ENDPOINTS.map(({ value, label }) => ({ value, label }))}
          flex="1 1 11rem"
        />
        {ofItem && <ItemSelect label="Item" value={registryId} onChange={setItem} flex="2 1 13rem" />}
      </Group>
      {request === null ? (
        <Reading of={first.reading} skeleton={<BlockSkeleton lines={9} />}>
          {() => <Dimmed className={classes.nothing}>You have no items yet.</Dimmed>}
        </Reading>
      ) : (
        // By its key, the previous response is kept only while another of the same endpoint is loading.
        <PreviewAnswer
          key={endpoint}
          source={source}
          endpoint={endpoint}
          request={request}
          shape={shape}
          onShape={onShape}
          waiting={waiting}
        />
      )}
    </>
  );
});

/**
 * The first item that the partner sees, or the client's newest if the scope with item ids is not granted; null until it
 * is read, and for a client without items. `reading` is of the last list that is read to find it.
 */
function useFirstItem(source: Source, wanted: boolean) {
  const { userId: clientId } = useViewer();
  const request = requestOf({ endpoint: 'assets', clientId, registryId: null }) ?? '';
  const list = useRead(Preview, { ...source, request }, { enabled: wanted });
  const seen = useMemo(() => listFacts(list.data?.body).firstItem, [list.data]);
  const own = useRead(OwnItems, { first: 1, page: 1 }, { enabled: wanted && list.data !== undefined && seen === null });
  const registryId = seen ?? own.data?.nodes[0]?.registryId ?? null;
  const reading: UseQueryResult<unknown, PorticoError> = list.data === undefined ? list : own;
  return { registryId, reading };
}
