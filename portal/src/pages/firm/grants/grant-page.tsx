// Firm: a grant or request: its terms and its events.
import { Anchor, Button } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { CopyText } from '../../../components/copy.tsx';
import { GrantEvents } from '../../../components/grants/grant-events.tsx';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { effectiveScopes, ScopeList } from '../../../components/grants/scopes.tsx';
import { mailTo } from '../../../components/mail-to.ts';
import { withNames } from '../../../components/names.ts';
import { callsText } from '../../../components/numbers.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { type Fact, Facts, Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { PrintButton } from '../../../components/print/print-button.tsx';
import { PrintHead } from '../../../components/print/print-head.tsx';
import { EnvironmentTag, GrantStatus, Status, TestClientTag } from '../../../components/status.tsx';
import { Ends, Time } from '../../../components/time.tsx';
import { GrantDetail, type GrantDetailQuery, WithdrawGrant } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { TestClientActions } from '../sandbox/test-client-actions.tsx';

type Grant = GrantDetailQuery['body'];

const BACK = { to: '/access', label: 'Access' };

export default function GrantPage() {
  const { id = '' } = useParams();
  const reading = useRead(GrantDetail, { id });
  return (
    <Reading of={reading} head={<PageHeader title="Access" back={BACK} />} skeleton={<BlockSkeleton lines={8} />}>
      {(grant) => <GrantView of={grant} />}
    </Reading>
  );
}

function GrantView({ of: grant }: { of: Grant }) {
  return (
    <>
      <PageHeader
        title={clientText(grant)}
        shown={<bdi>{clientText(grant)}</bdi>}
        back={BACK}
        aside={
          <>
            {grant.expiringSoon ? (
              <Status tone="warn">
                <Ends at={grant.expiresAt} />
              </Status>
            ) : (
              <GrantStatus status={grant.status} />
            )}
            <EnvironmentTag environment={grant.environment} />
            {grant.testClient && <TestClientTag />}
          </>
        }
        lead={
          leadOf(grant) ??
          'You learn who the client is when they approve. Until then the request looks the same whether or not there is such a client.'
        }
        actions={
          <>
            <PrintButton />
            <Actions of={grant} />
          </>
        }
      />
      <PrintHead />
      {grant.testClient && (grant.status === 'pending' || grant.status === 'active') && (
        <Section
          title="As the test client"
          lead="What the client would do in their own account. It is recorded as done by you."
        >
          <TestClientActions of={grant} />
        </Section>
      )}
      {grant.expiringSoon && !grant.testClient && (
        <Notice tone="warn" mb="xl" maw="46rem">
          Only the client can extend it, under Connected apps in their account. Once it has ended you can ask again.
        </Notice>
      )}
      <Section title={grant.status === 'active' ? 'What your key sees' : 'What it is about'}>
        <Facts of={factsOf(grant)} />
      </Section>
      <Section
        title="Scopes"
        lead={
          grant.status === 'active'
            ? 'Those of the key that the client granted; the others stay hidden.'
            : 'Those of the key that the request or grant names.'
        }
      >
        <ScopeList scopes={effectiveScopes(grant)} of={grant.keyScopes} />
      </Section>
      <Section title="History">
        <GrantEvents events={grant.events} grant={`/access/${grant.id}`} />
      </Section>
    </>
  );
}

const leadOf = ({ testClient, clientEmail }: Grant): string | null =>
  testClient ? 'Test client of your firm.' : clientEmail;

/** The client's name, or the addressee of the request. */
const clientText = ({ clientName, addressee }: Grant): string => clientName ?? addressee ?? 'A client';

const factsOf = (grant: Grant): Fact[] => [
  ['Items', filterText(grant.filter)],
  [
    'Key',
    <Anchor key="key" component={Link} href={`/keys/${grant.keyId}`} size="sm">
      <bdi>{grant.keyName}</bdi>
    </Anchor>,
  ],
  ['Until', <Time key="until" at={grant.expiresAt} never="Until revoked" />],
  ['Last seen', <Time key="seen" at={grant.lastSeenAt} as="relative" />],
  ['In 30 days', callsText(grant.calls30Days)],
  ['Client id', grant.clientId && <CopyText key="client" value={grant.clientId} label="client id" />],
  ['Purpose', grant.purpose],
];

/** The possible actions. Only the client can extend an active grant; an ended one can be requested again. */
function Actions({ of: grant }: { of: Grant }) {
  const mayAsk = useIsDeveloper();
  if (!mayAsk) return null;
  if (grant.status === 'pending') return <Withdraw of={grant} />;
  if (grant.status === 'active') return grant.expiringSoon && !grant.testClient ? <WriteToClient of={grant} /> : null;
  return grant.keyStatus === 'active' ? <AskAgain of={grant} /> : null;
}

function WriteToClient({ of: { clientEmail, keyName } }: { of: Grant }) {
  if (clientEmail === null) return null;
  const subject = `Access for “${keyName}” ends soon`;
  return (
    <Button component="a" href={mailTo(clientEmail, subject)} variant="default">
      Write to the client
    </Button>
  );
}

/** The request form with the former terms, including the items, so that nobody requests all of them by accident. */
function AskAgain({ of: grant }: { of: Grant }) {
  const { type, categories, collection } = grant.filter;
  const wanted = new URLSearchParams({
    client: grant.clientId ?? grant.addressee ?? '',
    key: grant.keyId,
    scopes: grant.scopes.join(','),
    items: type,
    ...(categories === null ? {} : { categories: categories.map(({ code }) => code).join(',') }),
    ...(collection === null ? {} : { collection: collection.id }),
  });
  return (
    <Button component={Link} href={`/access/ask?${wanted}`} variant="default">
      Ask again
    </Button>
  );
}

function Withdraw({ of: grant }: { of: Grant }) {
  return (
    <ConfirmedAction
      operation={WithdrawGrant}
      variables={{ id: grant.id }}
      lookUp={async (of) => {
        const found = await call(GrantDetail, of);
        return found.status === 'withdrawn' ? found : null;
      }}
      label="Withdraw request"
      title={withNames`Withdraw the request to ${clientText(grant)}?`}
      confirm="Withdraw request"
      destructive={false}
      done="The request is withdrawn."
    >
      The client can no longer answer it. You can ask again at any time.
    </ConfirmedAction>
  );
}
