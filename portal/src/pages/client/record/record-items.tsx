// Client: the items in the response to a call, as a summary and as a list.
import { Button, List, Loader, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dimmed } from '../../../components/dimmed.tsx';
import { Reading } from '../../../components/page/states.tsx';
import { Time } from '../../../components/time.tsx';
import {
  AccessRecordItems,
  type AccessRecordItemsQuery,
  type AccessRecordQuery,
} from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { contentsText, itemsText, scopesText } from '../plain-words.ts';
import { Party } from './party.tsx';
import classes from './record.module.css';

export type RecordRow = AccessRecordQuery['body']['nodes'][number];

const INCLUDED: Record<string, string> = { valuations: 'valuations', documents: 'lists of papers' };

/** The text below a row's endpoint; for lists a button that shows the items. */
export function Carried({ row }: { row: RecordRow }) {
  const [text, items] = [contentsText(row), itemsText(row)];
  return (
    <>
      {text !== null && <div className={classes.more}>{text}</div>}
      {items !== null && <Items row={row} label={items} />}
    </>
  );
}

function Items({ row: { requestId, at, firmName, toolRole, keyName }, label }: { row: RecordRow; label: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="subtle" size="compact-sm" className={classes.items} onClick={() => setOpened(true)}>
        {label}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="What was read">
        <Dimmed mb="md" className="breakable">
          By <Party firmName={firmName} toolRole={toolRole} />, <bdi>{keyName}</bdi>, <Time at={at} as="exact" />
        </Dimmed>
        {opened && <ItemList requestId={requestId} />}
      </Modal>
    </>
  );
}

type Call = AccessRecordItemsQuery['body']['nodes'][number];

function ItemList({ requestId }: { requestId: string }) {
  const reading = useRead(AccessRecordItems, { requestId });
  return (
    <Reading of={reading} skeleton={<Loader size="sm" role="status" aria-label="Loading" />}>
      {({ nodes: [call] }) => call && <Disclosed of={call} />}
    </Reading>
  );
}

function Disclosed({ of: { disclosed, includes, items, removedItems } }: { of: Call }) {
  const included = (includes ?? []).map((name) => INCLUDED[name] ?? name);
  return (
    <Stack gap="md">
      {items !== null && items.length > 0 && (
        <div>
          <Text fw={500}>{scopesText(disclosed ?? [])}</Text>
          {included.length > 0 && <Text size="sm">With {included.join(' and ')}</Text>}
          <Names items={items} />
        </div>
      )}
      {removedItems.length > 0 && (
        <div>
          <Text fw={500}>Reported as no longer shared: only their registry ids</Text>
          <Names items={removedItems} />
        </div>
      )}
    </Stack>
  );
}

function Names({ items }: { items: Call['removedItems'] }) {
  return (
    <List size="sm" mt="xs">
      {items.map(({ registryId, title }) => (
        <List.Item key={registryId}>
          <bdi>{title ?? 'A deleted item'}</bdi> <span className={classes.more}>{registryId}</span>
        </List.Item>
      ))}
    </List>
  );
}
