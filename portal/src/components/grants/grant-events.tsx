// Components: the life of a grant, step by step.
import { Text } from '@mantine/core';
import { momentText } from '../time.tsx';
import { Timeline } from '../timeline.tsx';
import { type FilterWords, filterText } from './grant-filter.ts';
import { scopesText } from './scopes.tsx';

export interface GrantStepWords {
  id: string;
  action: string;
  at: string;
  actor: { kind: string; name: string };
  scopes: readonly string[] | null;
  filter: FilterWords | null;
  expirySet: boolean;
  expiresAt: string | null;
  purpose: string | null;
}

const ACTIONS: Record<string, string> = {
  request: 'Asked for',
  grant: 'Granted',
  approve: 'Approved',
  decline: 'Declined',
  withdraw: 'Withdrawn',
  change: 'Changed',
  revoke: 'Revoked',
  expire: 'Expired',
};

/** `Approved by Eleanor Whitcombe`; what nobody did has no by. */
export const stepText = ({ action, actor }: Pick<GrantStepWords, 'action' | 'actor'>): string => {
  const word = ACTIONS[action] ?? action;
  return actor.kind === 'system' ? word : `${word} by ${actor.name}`;
};

/** What the step set; null where it set nothing. */
export function StepDetail({ of: step }: { of: GrantStepWords }) {
  const parts = [
    step.scopes === null ? null : scopesText(step.scopes),
    step.filter === null ? null : filterText(step.filter),
    step.expirySet ? endText(step.expiresAt) : null,
  ].filter((part) => part !== null);
  if (parts.length === 0 && step.purpose === null) return null;
  return (
    <>
      {parts.join(' · ')}
      {step.purpose !== null && (
        <Text size="sm" c="dimmed" fs="italic">
          “{step.purpose}”
        </Text>
      )}
    </>
  );
}

const endText = (at: string | null): string => (at === null ? 'no end' : `until ${momentText(at)}`);

export function GrantEvents({ events }: { events: readonly GrantStepWords[] }) {
  return (
    <Timeline
      rows={events.map((step) => ({
        id: step.id,
        at: step.at,
        what: stepText(step),
        detail: <StepDetail of={step} />,
      }))}
    />
  );
}
