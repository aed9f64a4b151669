// Firm: one key: what it is, what it does, what happened to it; rotate and revoke.
import { Anchor, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useParams } from 'wouter';
import { countOf, countText } from '../../components/numbers.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ScopeList } from '../../components/scopes.tsx';
import { Facts, Figures, Section } from '../../components/section.tsx';
import { BlockSkeleton, Reading } from '../../components/states.tsx';
import { EnvironmentTag, KeyStatus } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { FirmKey } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import type { BodyOf } from '../../graphql/operation.ts';
import { type Issued, useIssued } from './issued.ts';
import { Fingerprint, tierName } from './key-columns.tsx';
import { KeyEvents } from './key-events.tsx';
import { usePlanActive } from './plan-notice.tsx';
import { RevokeKeyDialog } from './revoke-key.tsx';
import { RotateKeyDialog } from './rotate-key.tsx';
import { SecretOnce } from './secret-once.tsx';

export type KeyDetail = BodyOf<typeof FirmKey>;

const BACK = { to: '/keys', label: 'API keys' };

export default function KeyPage() {
  const { id = '' } = useParams();
  const reading = useRead(FirmKey, { id }, { every: 15_000 });
  return (
    <Reading of={reading} head={<PageHeader title="Key" back={BACK} />} skeleton={<BlockSkeleton lines={8} />}>
      {(key) => <KeyView key={key.id} of={key} />}
    </Reading>
  );
}

function KeyView({ of: key }: { of: KeyDetail }) {
  const [issued, setIssued] = useIssued();
  if (issued !== null)
    return (
      <>
        <PageHeader
          title={`The new secret of “${issued.key.name}”`}
          lead="The new key has the same settings and grants. Put its secret where the old one is used."
        />
        <SecretOnce secret={issued.secret} next={`/keys/${issued.key.id}`} />
      </>
    );
  return (
    <>
      <PageHeader
        title={key.name}
        back={BACK}
        aside={
          <>
            <KeyStatus status={key.status} />
            <EnvironmentTag environment={key.environment} />
          </>
        }
        lead={<Standing of={key} />}
        actions={<Steps of={key} onIssued={setIssued} />}
      />
      <Figures of={figuresOf(key)} />
      <Section title="Settings">
        <Facts of={factsOf(key)} />
      </Section>
      <Section title="Scopes" lead="What the key can read at most; each client grants all or less of it.">
        <ScopeList scopes={key.scopes} />
      </Section>
      <Section title="History">
        <KeyEvents events={key.events} keyId={key.id} />
      </Section>
    </>
  );
}

function Steps({ of: key, onIssued }: { of: KeyDetail; onIssued: (issued: Issued) => void }) {
  const [rotating, rotate] = useDisclosure();
  const [revoking, revoke] = useDisclosure();
  const planActive = usePlanActive();
  if (!key.usable) return null;
  return (
    <>
      {key.status === 'active' && planActive && (
        <Button variant="default" onClick={rotate.open}>
          Rotate
        </Button>
      )}
      <Button variant="outline" color="red" onClick={revoke.open}>
        Revoke
      </Button>
      <RotateKeyDialog of={key} opened={rotating} onClose={rotate.close} onIssued={onIssued} />
      <RevokeKeyDialog of={key} opened={revoking} onClose={revoke.close} />
    </>
  );
}

/** What the status means right now, in a sentence; nothing where it means nothing special. */
function Standing({ of: key }: { of: KeyDetail }) {
  if (key.status === 'rotated' && key.rotatedTo !== null)
    return (
      <>
        Works until <Time at={key.expiresAt} />; its{' '}
        <Anchor component={Link} href={`/keys/${key.rotatedTo}`} underline="always">
          successor
        </Anchor>{' '}
        works already.
      </>
    );
  if (key.status === 'revoked')
    return (
      <>
        Revoked <Time at={key.revokedAt} />
        {key.revokedBy && ` by ${key.revokedBy.name}`}. Requests with it are answered 401.
      </>
    );
  if (key.status === 'expired')
    return (
      <>
        Ended <Time at={key.expiresAt} />. Requests with it are answered 401.
      </>
    );
  return null;
}

const figuresOf = (key: KeyDetail) => [
  {
    label: 'In the last minute',
    value: key.usage === null ? '–' : countText(key.usage.used),
    note:
      key.usage === null
        ? 'Not in use'
        : `of ${countText(key.usage.limit)}${key.usage.refused > 0 ? `, ${countText(key.usage.refused)} refused` : ''}`,
  },
  { label: 'Last 24 hours', value: countText(key.traffic.last24Hours), note: 'requests' },
  {
    label: 'Last 7 days',
    value: countText(key.traffic.last7Days),
    note: (
      <Anchor component={Link} href={`/activity?key=${key.id}`} size="xs">
        See its activity
      </Anchor>
    ),
  },
  {
    label: 'Clients who grant access',
    value: countText(key.activeGrants),
    note: (
      <Anchor component={Link} href={`/access?key=${key.id}`} size="xs">
        {key.pendingGrants > 0 ? `${countOf(key.pendingGrants, 'request')} waiting` : 'See who and what'}
      </Anchor>
    ),
  },
];

const factsOf = (key: KeyDetail) =>
  [
    ['Secret', <Fingerprint key="secret" prefix={key.prefix} lastFour={key.lastFour} />],
    ['Tier', tierName(key.tier)],
    ['Created', <Created key="created" of={key} />],
    ['Ends', <Time key="ends" at={key.expiresAt} never="When revoked" />],
    ['Last used', <Time key="used" at={key.lastUsedAt} as="relative" />],
  ] as const;

const Created = ({ of: { createdAt, createdBy } }: { of: KeyDetail }) => (
  <>
    <Time at={createdAt} as="date" /> by {createdBy.name}
  </>
);
