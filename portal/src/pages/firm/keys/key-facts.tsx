// Firm: a key in figures and facts.
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { countOf, countText } from '../../../components/numbers.tsx';
import type { Fact } from '../../../components/page/section.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { tierName } from '../../../components/tier.ts';
import { Time } from '../../../components/time.tsx';
import type { FirmKeyQuery } from '../../../generated/operations.ts';
import { Fingerprint } from './key-columns.tsx';
import classes from './keys.module.css';

type KeyBody = FirmKeyQuery['body'];

/** The meaning of the present status as a sentence, if it is a special one. */
export function KeyStatusLine({ of: key }: { of: KeyBody }) {
  if (key.status === 'rotated' && key.rotatedTo !== null) {
    const successor = <TextLink href={`/keys/${key.rotatedTo}`}>successor</TextLink>;
    return key.usable ? (
      <>
        Works until <Time at={key.expiresAt} />; its {successor} works already.
      </>
    ) : (
      <>
        Ended <Time at={key.expiresAt} />. Requests with it are answered 401. Its {successor} works in its place.
      </>
    );
  }
  if (key.status === 'revoked')
    return (
      <>
        Revoked <Time at={key.revokedAt} />
        {key.revokedBy && (
          <>
            {' '}
            by <bdi>{key.revokedBy.name}</bdi>
          </>
        )}
        . Requests with it are answered 401.
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

export const figuresOf = (key: KeyBody) => [
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

export const factsOf = (key: KeyBody): Fact[] => [
  ['Secret', <Fingerprint key="secret" prefix={key.prefix} lastFour={key.lastFour} />],
  ['Tier', tierName(key.tier)],
  ['Created', <Created key="created" of={key} />],
  ['Ends', <Time key="ends" at={key.expiresAt} never="When revoked" />],
  ['Allowed from', <Networks key="networks" of={key} />],
  ['Last used', <Time key="used" at={key.lastUsedAt} as="relative" />],
  ['Note', key.note && <Note key="note" of={key.note} />],
];

const Networks = ({ of: { allowedNetworks } }: { of: KeyBody }) =>
  allowedNetworks.length === 0 ? (
    'Anywhere'
  ) : (
    <ul className={classes.networks}>
      {allowedNetworks.map((network) => (
        <li key={network}>{network}</li>
      ))}
    </ul>
  );

const Note = ({ of: note }: { of: string }) => <span className={classes.note}>{note}</span>;

const Created = ({ of: { createdAt, createdBy } }: { of: KeyBody }) => (
  <>
    <Time at={createdAt} as="date" /> by <bdi>{createdBy.name}</bdi>
  </>
);
