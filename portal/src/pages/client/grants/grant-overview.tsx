// Client: the terms of a grant, and the partner's view by it.
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { lowerFirst } from '#core/first-letter.ts';
import { Dimmed } from '../../../components/dimmed.tsx';
import { FirmFacts } from '../../../components/firm-identity.tsx';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { effectiveScopes, idleScopes, ScopeList } from '../../../components/grants/scopes.tsx';
import { callsText, countOf, countText } from '../../../components/numbers.tsx';
import { type Fact, Facts } from '../../../components/page/section.tsx';
import { usePrintedAt } from '../../../components/print/printed-at.ts';
import { Time } from '../../../components/time.tsx';
import type { ClientGrantDetailQuery } from '../../../generated/operations.ts';
import { CLIENT_WORDS, scopesText } from '../plain-words.ts';
import { Part, WithPreview } from '../with-preview.tsx';
import classes from './grant.module.css';

type GrantBody = ClientGrantDetailQuery['body'];

export function GrantOverview({ grant }: { grant: GrantBody }) {
  const { id, status, filter } = grant;
  const active = status === 'active';
  const visible = effectiveScopes(grant);
  const idle = idleScopes(grant);
  const words = (
    <>
      <Part title={active ? 'They see' : 'It was about'}>
        <ScopeList scopes={visible} words={CLIENT_WORDS} />
        {idle.length > 0 && (
          <Dimmed mt="md">
            You also allowed the following, which this key cannot read: {lowerFirst(scopesText(idle))}.
          </Dimmed>
        )}
      </Part>
      <Part title="Of which items">
        <Text size="sm">{filterText(filter)}</Text>
        <ItemTitles filter={filter} />
      </Part>
      <Part title="Who they are">
        <FirmFacts of={grant.firmIdentity} />
      </Part>
      <Part title="More">
        <Facts of={factsOf(grant)} />
      </Part>
      {grant.purpose !== null && (
        <Part title="What they say it is for">
          <Text size="sm" className={classes.purpose} dir="auto">
            {grant.purpose}
          </Text>
        </Part>
      )}
    </>
  );
  if (!active) return <div className={classes.narrow}>{words}</div>;
  return (
    <WithPreview
      of={{ grantId: id }}
      draft={null}
      title="Preview: what they see"
      lead="All that this key can read. “Technical” shows it as the firm’s program receives it."
    >
      {words}
    </WithPreview>
  );
}

/** The first ten by title; on paper the others by registry id. */
function ItemTitles({ filter: { items, registryIds, collection } }: { filter: GrantBody['filter'] }) {
  const { printing } = usePrintedAt();
  if (collection !== null) return <Dimmed>{countOf(collection.itemCount, 'item')} in it now</Dimmed>;
  if (items === null || items.length === 0) return null;
  const rest = (registryIds ?? []).filter((id) => items.every(({ registryId }) => registryId !== id));
  return (
    <ul className={classes.items}>
      {items.map(({ registryId, title }) => (
        <li key={registryId}>{title === null ? `${registryId} (deleted)` : <bdi>{title}</bdi>}</li>
      ))}
      {printing
        ? rest.map((id) => <li key={id}>{id}</li>)
        : rest.length > 0 && <li>and {countText(rest.length)} more</li>}
    </ul>
  );
}

const factsOf = (grant: GrantBody): Fact[] => [
  ['Since', <Time key="since" at={grant.activatedAt} never="It was never active" as="date" />],
  grant.status === 'active'
    ? ['Until', <Time key="until" at={grant.expiresAt} never="You revoke it" as="end" />]
    : ['Ended', <Time key="ended" at={grant.endedAt} as="moment" />],
  ['Last seen', <Time key="seen" at={grant.lastSeenAt} as="relative" />],
  [
    'In 30 days',
    <Anchor key="calls" component={Link} href={`/record?who=${grant.keyId}`} size="sm">
      {callsText(grant.calls30Days)}, see them all
    </Anchor>,
  ],
  ['Key', grant.keyStatus === 'active' ? null : `It is ${grant.keyStatus}: it can read nothing.`],
];
