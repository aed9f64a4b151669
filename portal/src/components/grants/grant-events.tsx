// Components: the events of a grant.
import type { ReactNode } from 'react';
import type { GrantTransition } from '#core/grant-lifecycle.ts';
import type { EventTermsFragment } from '../../generated/operations.ts';
import { Dimmed } from '../dimmed.tsx';
import { plain, withNames } from '../names.ts';
import { momentText } from '../time.tsx';
import { Timeline } from '../timeline.tsx';
import { filterText } from './grant-filter.ts';
import { ReceiptLink } from './receipt-link.tsx';
import { scopesText } from './scopes.tsx';

const ACTIONS: Record<string, string> = {
  request: 'Asked for',
  grant: 'Granted',
  approve: 'Approved',
  decline: 'Declined',
  withdraw: 'Withdrawn',
  change: 'Changed',
  revoke: 'Revoked',
  expire: 'Expired',
} satisfies Record<GrantTransition, string>;

/** `Approved by Eleanor Whitcombe`, or `Expired` for an event without an actor. */
function eventText({ action, actor }: Pick<EventTermsFragment, 'action' | 'actor'>): ReactNode {
  const word = ACTIONS[action] ?? action;
  if (actor.kind === 'system') return word;
  return withNames`${plain(word)} by ${actor.name}`;
}

/** The terms that the event set; null if none. */
function EventDetail({ of: event }: { of: EventTermsFragment }) {
  const parts = [
    event.scopes === null ? null : scopesText(event.scopes),
    event.filter === null ? null : filterText(event.filter),
    event.expirySet ? endText(event.expiresAt) : null,
  ].filter((part) => part !== null);
  if (parts.length === 0 && event.purpose === null) return null;
  return (
    <>
      {parts.join(' · ')}
      {event.purpose !== null && (
        <Dimmed fs="italic">
          “<bdi>{event.purpose}</bdi>”
        </Dimmed>
      )}
    </>
  );
}

const endText = (at: string | null): string => (at === null ? 'no end' : `until ${momentText(at)}`);

/** `grant`: the path of the grant's page. */
export function GrantEvents({ events, grant }: { events: readonly EventTermsFragment[]; grant: string }) {
  return (
    <Timeline
      rows={events.map((event) => ({
        id: event.id,
        at: event.at,
        what: eventText(event),
        detail: (
          <>
            <EventDetail of={event} />
            <div>
              <ReceiptLink to={`${grant}/receipts/${event.id}`} at={event.at} />
            </div>
          </>
        ),
      }))}
    />
  );
}
