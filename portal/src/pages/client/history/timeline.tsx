// Client: events of grants, newest first, in plain words.
import { Anchor, Text } from '@mantine/core';
import {
  IconAdjustments,
  IconCheck,
  IconClockOff,
  IconHandStop,
  IconMailQuestion,
  IconPlugConnected,
  IconPlugConnectedX,
  IconX,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { upperFirst } from '#core/first-letter.ts';
import { Dimmed } from '../../../components/dimmed.tsx';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { ReceiptLink } from '../../../components/grants/receipt-link.tsx';
import { type Part, plain, withNames } from '../../../components/names.ts';
import { endText, momentText } from '../../../components/time.tsx';
import type { ConsentHistoryQuery } from '../../../generated/operations.ts';
import { scopesText } from '../plain-words.ts';
import classes from './timeline.module.css';

export type TimelineEvent = ConsentHistoryQuery['body']['nodes'][number];

interface TimelineProps {
  events: readonly TimelineEvent[];
  /** All events are of one grant, on its own page, which names firm and key. */
  ofOneGrant?: boolean;
}

export function Timeline({ events, ofOneGrant = false }: TimelineProps) {
  return (
    <ol className={classes.events}>
      {events.map((event) => (
        <TimelineItem key={event.id} event={event} ofOneGrant={ofOneGrant} />
      ))}
    </ol>
  );
}

const ICONS: Record<string, typeof IconCheck> = {
  request: IconMailQuestion,
  grant: IconPlugConnected,
  approve: IconCheck,
  decline: IconHandStop,
  withdraw: IconX,
  change: IconAdjustments,
  revoke: IconPlugConnectedX,
  expire: IconClockOff,
};

const TONES: Record<string, string> = {
  request: 'info',
  grant: 'good',
  approve: 'good',
  change: 'warn',
};

function TimelineItem({ event, ofOneGrant }: { event: TimelineEvent; ofOneGrant: boolean }) {
  const Icon = ICONS[event.action] ?? IconAdjustments;
  const details = detailsOf(event);
  return (
    <li className={classes.event}>
      <span className={classes.mark} data-tone={TONES[event.action] ?? 'calm'} aria-hidden>
        <Icon size={16} stroke={1.8} />
      </span>
      <div className={classes.words}>
        <div className={classes.line}>
          <Text size="sm" fw={500} className="breakable">
            {sentenceOf(event, ofOneGrant ? null : event.firmName)}
          </Text>
          <Dimmed size="xs" component="time" dateTime={event.at} className={classes.at}>
            {momentText(event.at)}
          </Dimmed>
        </div>
        {!ofOneGrant && (
          <Dimmed className="breakable">
            Key “<bdi>{event.keyName}</bdi>”&nbsp;·{' '}
            <Anchor
              component={Link}
              className="unbroken"
              href={`/connected/${event.grantId}`}
              size="sm"
              aria-label={`See this access: ${event.firmName}, ${event.keyName}`}
            >
              See this access
            </Anchor>
          </Dimmed>
        )}
        {ofOneGrant && <ReceiptLink to={`/connected/${event.grantId}/receipts/${event.id}`} at={event.at} />}
        {details.length > 0 && (
          <ul className={classes.details}>
            {details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        )}
        {event.purpose !== null && (
          <blockquote className={classes.purpose} dir="auto">
            {event.purpose}
          </blockquote>
        )}
      </div>
    </li>
  );
}

/** `You approved the request of Hartwell & Lyle`; `firm` is null on the page of a grant, which names it. */
function sentenceOf({ action, actor }: TimelineEvent, firm: string | null): ReactNode {
  const who = actor.kind === 'client' ? plain('You') : actor.name;
  const of = firm === null ? null : withNames` of ${firm}`;
  return SENTENCES[action]?.(who, of, firm) ?? withNames`${who}: ${plain(action)}${of}`;
}

const SENTENCES: Record<string, (who: Part, of: Part, firm: string | null) => ReactNode> = {
  request: (who, of) => withNames`${who}${of} asked for access`,
  withdraw: (who, of) => withNames`${who}${of} withdrew the request`,
  grant: (who, _of, firm) => withNames`${who} gave ${firm ?? plain('them')} access`,
  approve: (who, of) => withNames`${who} approved the request${of}`,
  decline: (who, of) => withNames`${who} declined the request${of}`,
  change: (who, _of, firm) => withNames`${who} changed what ${firm ?? plain('they')} can see`,
  revoke: (who, of) => withNames`${who} revoked the access${of}`,
  expire: (_who, of) => withNames`The access${of} reached its end`,
};

/** The terms that the event set. */
function detailsOf({ at, action, scopes, filter, expirySet, expiresAt }: TimelineEvent): string[] {
  const end = expiresAt === null ? 'until revoked' : `until ${endText(expiresAt, new Date(at))}`;
  return [
    ...(scopes === null ? [] : [scopesText(scopes)]),
    ...(filter === null ? [] : [filterText(filter)]),
    ...(expirySet && (expiresAt !== null || action !== 'request') ? [upperFirst(end)] : []),
  ];
}
