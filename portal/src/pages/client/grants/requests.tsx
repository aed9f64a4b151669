// Client: pending requests for access.
import { Button, Group, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { FirmFacts } from '../../../components/firm-identity.tsx';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { withNames } from '../../../components/names.ts';
import { countText } from '../../../components/numbers.tsx';
import { type Fact, Facts } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { Time } from '../../../components/time.tsx';
import { ApproveGrant, ClientGrants, type ClientGrantsQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { FirmMark } from '../firm-mark.tsx';
import { scopesText } from '../plain-words.ts';
import { DeclineButton } from './end-grant.tsx';
import { findIf } from './find-outcome.ts';
import classes from './requests.module.css';

type Request = ClientGrantsQuery['body']['nodes'][number];

export function Requests() {
  const reading = useRead(ClientGrants, { status: ['pending'], first: 100 }, { every: 60_000 });
  return (
    <Reading of={reading} skeleton={<BlockSkeleton lines={4} />}>
      {({ nodes, totalItems }) => (
        <>
          <ul className={classes.list}>
            {nodes.map((request) => (
              <RequestCard key={request.id} request={request} />
            ))}
          </ul>
          {totalItems > nodes.length && (
            <Text c="dimmed" mt="md">
              These are the newest {countText(nodes.length)} of {countText(totalItems)} requests. The others follow as
              you answer.
            </Text>
          )}
        </>
      )}
    </Reading>
  );
}

function RequestCard({ request }: { request: Request }) {
  const { id, firmName, firmIdentity, keyName, purpose, createdAt } = request;
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <FirmMark name={firmName} />
        <div className={classes.words}>
          <Title order={3} className="breakable">
            <bdi>{firmName}</bdi> asks for access
          </Title>
          <Dimmed className="breakable">
            Key “<bdi>{keyName}</bdi>”&nbsp;· <Time at={createdAt} as="relative" />
          </Dimmed>
        </div>
      </div>
      <div className={classes.identity}>
        <FirmFacts of={firmIdentity} />
      </div>
      {purpose !== null && (
        <blockquote className={classes.purpose} dir="auto">
          {purpose}
        </blockquote>
      )}
      <Facts of={termFacts(request)} />
      <Group gap="sm" className={classes.answers}>
        <Button component={Link} href={`/connected/${id}`} aria-label={`Review the request of ${firmName}, ${keyName}`}>
          Review
        </Button>
        <ApproveAsAsked request={request} />
        <DeclineButton grant={request} />
      </Group>
    </li>
  );
}

const termFacts = ({ scopes, filter, expiresAt }: Pick<Request, 'scopes' | 'filter' | 'expiresAt'>): Fact[] => [
  ['They would see', scopesText(scopes)],
  ['Of which items', filterText(filter)],
  ['Until', <Time key="until" at={expiresAt} never="You revoke it" as="end" />],
];

function ApproveAsAsked({ request }: { request: Request }) {
  const { id, firmName, keyName } = request;
  return (
    <ConfirmedAction
      operation={ApproveGrant}
      variables={{ id }}
      lookUp={findIf((grant) => grant.status === 'active' && termsOf(grant) === termsOf(request))}
      label="Approve as asked"
      aria-label={`Approve as asked: ${firmName}, ${keyName}`}
      title={withNames`Give ${firmName} what it asks for?`}
      confirm="Approve"
      destructive={false}
      done={withNames`${firmName} can now see what it asked for.`}
    >
      <Facts of={termFacts(request)} />
      <Dimmed mt="md">You can change or revoke it whenever you like.</Dimmed>
    </ConfirmedAction>
  );
}

/** The terms, to compare an approval with its request. */
const termsOf = ({
  scopes,
  filter: { type, itemCount },
  expiresAt,
}: Pick<Request, 'scopes' | 'filter' | 'expiresAt'>) => JSON.stringify([scopes, type, itemCount, expiresAt]);
