// Receipt: the terms after an event of a grant, to read, print or download as a signed file.
import { Button, Code, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import type { GrantTransition } from '#core/grant-lifecycle.ts';
import { Dimmed } from '../../components/dimmed.tsx';
import { FirmFacts } from '../../components/firm-identity.tsx';
import { filterText } from '../../components/grants/grant-filter.ts';
import { scopeName } from '../../components/grants/scopes.tsx';
import { Notice } from '../../components/page/notice.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { Facts, Section } from '../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../components/page/states.tsx';
import { PrintButton } from '../../components/print/print-button.tsx';
import { PrintHead } from '../../components/print/print-head.tsx';
import { momentText, Time } from '../../components/time.tsx';
import { Receipt, type ReceiptQuery } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import { useViewer } from '../../session/viewer.ts';
import { scopeText } from '../client/plain-words.ts';
import { ReceiptItemList } from './receipt-items.tsx';
import { download, isSigned, type ReceiptItems, type ReceiptWords } from './signed-receipt.ts';

type Signed = NonNullable<ReceiptQuery['body']['receipt']>;

const STEPS: Record<string, string> = {
  request: 'Access was asked for',
  grant: 'Access was given',
  approve: 'The request was approved',
  decline: 'The request was declined',
  withdraw: 'The request was withdrawn',
  change: 'The access was changed',
  revoke: 'The access was revoked',
  expire: 'The access expired',
} satisfies Record<GrantTransition, string>;

export default function ReceiptPage() {
  const { id = '', step = '' } = useParams();
  const [path] = useLocation();
  const back = { to: path.replace(/\/receipts\/.*/, ''), label: 'Access' };
  const reading = useRead(Receipt, { grantId: id, eventId: step });
  const head = <PageHeader title="Receipt" back={back} />;
  return (
    <Reading of={reading} head={head} skeleton={<BlockSkeleton lines={10} />} missing={NO_SUCH_STEP}>
      {({ receipt, events }) =>
        receipt === null ? (
          <>
            {head}
            {NO_SUCH_STEP}
          </>
        ) : (
          <ReceiptView of={receipt} keyName={events.find(({ id }) => id === step)?.keyName ?? ''} back={back} />
        )
      }
    </Reading>
  );
}

const NO_SUCH_STEP = <Notice tone="warn">There is no such step of this access.</Notice>;

interface ReceiptViewProps {
  of: Signed;
  /** As at the time of the step. */
  keyName: string;
  back: { to: string; label: string };
}

function ReceiptView({ of: signed, keyName, back }: ReceiptViewProps) {
  const { role } = useViewer();
  const receipt = JSON.parse(signed.receipt) as ReceiptWords;
  const { event, party_identification: parties, pii_processing: processing } = receipt;
  const [purpose] = processing.purposes;
  const partyOf = (type: string) => parties.find(({ party_type }) => party_type === type);
  const firm = partyOf('pii_controller');
  const client = partyOf('pii_principal')?.party_name;
  return (
    <>
      <PageHeader
        title={`Receipt of ${momentText(event.event_time)}`}
        back={back}
        lead={STEPS[event.action] ?? event.action}
        actions={
          <>
            <PrintButton />
            <Button onClick={() => download(signed, `receipt-${receipt.receipt_id}`)}>Download</Button>
          </>
        }
      />
      <PrintHead />
      <Section title="What happened">
        <Facts
          of={[
            ['When', <Time key="when" at={event.event_time} />],
            ['By', event.entity.kind === 'system' ? null : event.entity.name],
            ['Firm', firm?.party_name ?? ''],
            ['Key', keyName],
            ['Client', client || null],
            ['Purpose', purpose?.purpose || null],
          ]}
        />
      </Section>
      <Section title="Who the firm said it was">
        <FirmFacts
          of={{
            address: firm?.party_address ?? null,
            website: firm?.party_url ?? null,
            email: firm?.party_email ?? null,
            phone: firm?.party_phone ?? null,
          }}
        />
      </Section>
      <Section title={event.event_state === 'given' ? 'What the firm can see' : 'What it was about'}>
        <Facts
          of={[
            ['Items', purpose === undefined ? '' : filterText(filterOf(purpose.items))],
            ['Until', <Time key="until" at={event.valid_until} never="Until revoked" />],
          ]}
        />
        {purpose?.items.registry_ids !== undefined && <ReceiptItemList registryIds={purpose.items.registry_ids} />}
        <List size="sm" mt="md">
          {purpose?.pii_information.map(({ pii_type, description }) => (
            <List.Item key={pii_type}>
              <strong>{role === 'client' ? scopeText(pii_type) : scopeName(pii_type)}</strong>: {description}
            </List.Item>
          ))}
        </List>
      </Section>
      {event.event_state === 'given' && purpose !== undefined && (
        <Section title="How to end it">
          <Text size="sm">{purpose.withdrawal_method}</Text>
        </Section>
      )}
      <Section title="Signature">
        <Verdict of={signed} />
        <Dimmed mt="xs">
          Receipt <Code className="breakable">{receipt.receipt_id}</Code>. The downloaded file proves to anybody that
          Portico issued it and that nothing in it was changed.
        </Dimmed>
      </Section>
    </>
  );
}

/** Whether the signature is valid, as verified by this browser. */
function Verdict({ of: { receipt, jws } }: { of: Signed }) {
  const verdict = useQuery({ queryKey: ['signature', jws], queryFn: () => isSigned(receipt, jws), retry: false });
  if (verdict.isPending) return <Text size="sm">The signature is being checked.</Text>;
  if (verdict.isError)
    return (
      <Text size="sm">This browser cannot check the signature. The downloaded file can be checked elsewhere.</Text>
    );
  if (!verdict.data) return <Notice tone="warn">The signature is invalid. Do not rely on this receipt.</Notice>;
  return <Text size="sm">The signature is right: this browser has checked it.</Text>;
}

const filterOf = ({ type, categories = [], item_count, collection }: ReceiptItems) => ({
  type,
  categories,
  itemCount: item_count ?? null,
  collection: collection === undefined ? null : { ...collection, itemCount: 0 },
});
