// Firm: the events of a key, its predecessors and its successors.
import type { ReactNode } from 'react';
import { plain, withNames } from '../../../components/names.ts';
import { decimalText } from '../../../components/numbers.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { tierName } from '../../../components/tier.ts';
import { momentText } from '../../../components/time.tsx';
import { Timeline } from '../../../components/timeline.tsx';
import type { FirmKeyQuery } from '../../../generated/operations.ts';

type KeyEvent = FirmKeyQuery['body']['events'][number];

export function KeyEvents({ events, keyId }: { events: readonly KeyEvent[]; keyId: string }) {
  const before = replacedBy(keyId, events);
  return (
    <Timeline
      rows={events.map((event) => ({
        id: `${event.at} ${event.action} ${event.keyId}`,
        at: event.at,
        what: withNames`${plain(whatText(event))} by ${event.actor.name}`,
        detail:
          event.keyId === keyId ? changesText(event) : <OtherKey id={event.keyId} earlier={before.has(event.keyId)} />,
      }))}
    />
  );
}

/** The earlier keys of the lineage that the key replaces, directly or through others. */
function replacedBy(keyId: string, events: readonly KeyEvent[]): ReadonlySet<string> {
  const created = events.filter(({ action }) => action === 'create');
  const replaced = new Map(created.map((event) => [event.keyId, event.predecessor]));
  const found = new Set<string>();
  for (let id = replaced.get(keyId) ?? null; id !== null && !found.has(id); id = replaced.get(id) ?? null)
    found.add(id);
  return found;
}

const OtherKey = ({ id, earlier }: { id: string; earlier: boolean }) => (
  <>
    On{' '}
    <TextLink href={`/keys/${id}`}>
      {earlier ? 'an earlier key, which this one replaces' : 'a later key, which replaces this one'}
    </TextLink>
  </>
);

function whatText({ action, predecessor, overlapMs, tier }: KeyEvent): string {
  switch (action) {
    case 'create':
      return predecessor === null ? 'Created' : 'Made by rotation';
    case 'rotate':
      return overlapMs === null || overlapMs === 0
        ? 'Rotated, ended at once'
        : `Rotated, both work for ${durationText(overlapMs)},`;
    case 'change':
      return 'Changed';
    case 'revoke':
      return 'Revoked';
    case 'tier':
      return tier === null ? 'Tier given back to the contract' : `Tier set to ${tierName(tier)}`;
    default:
      return action;
  }
}

const NAMES: Record<string, string> = {
  name: 'Name',
  note: 'Note',
  expiresAt: 'Ends',
  allowedNetworks: 'Allowed from',
};
const UNSET: Record<string, string> = { note: 'none', expiresAt: 'when revoked', allowedNetworks: 'anywhere' };

/** Each property with its old and new value; null if the event changed none. */
function changesText({ changes }: KeyEvent): ReactNode {
  const texts = (property: string, values: readonly string[]) =>
    values.map((value) => (property === 'expiresAt' ? momentText(value) : value)).join(', ') || UNSET[property];
  return changes.length === 0
    ? null
    : changes.map(({ property, before, after }) => (
        <div key={property}>
          {NAMES[property] ?? property}: {texts(property, after)} (before: {texts(property, before)})
        </div>
      ));
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return `${decimalText(minutes / 60)} h`;
}
