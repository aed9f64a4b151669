// Components: states and environments as words with a colour, never by colour alone.
import type { ReactNode } from 'react';
import type { GrantState } from '#core/grant-lifecycle.ts';
import type { Outcome as OutcomeName } from '#core/outcome.ts';
import classes from './status.module.css';

export type Tone = 'good' | 'calm' | 'warn' | 'limit' | 'bad' | 'info';

export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={classes.status} data-tone={tone}>
      <span>{children}</span>
    </span>
  );
}

const KEY: Record<string, [Tone, string]> = {
  active: ['good', 'Active'],
  rotated: ['warn', 'Rotated'],
  expired: ['calm', 'Expired'],
  revoked: ['bad', 'Revoked'],
};

const GRANT: Record<string, [Tone, string]> = {
  pending: ['info', 'Waiting'],
  active: ['good', 'Active'],
  declined: ['calm', 'Declined'],
  withdrawn: ['calm', 'Withdrawn'],
  revoked: ['bad', 'Revoked'],
  expired: ['calm', 'Expired'],
} satisfies Record<GrantState, [Tone, string]>;

/** In the colours of the charts. */
const OUTCOME: Record<string, [Tone, string]> = {
  ok: ['good', 'Answered'],
  allowed: ['good', 'Allowed'],
  refused: ['warn', 'Refused'],
  limited: ['limit', 'Over the limit'],
  failed: ['bad', 'Failed'],
} satisfies Record<OutcomeName | 'allowed', [Tone, string]>;

function stateOf(table: Record<string, [Tone, string]>, value: string) {
  const [tone, word] = table[value] ?? ['calm', value];
  return <Status tone={tone}>{word}</Status>;
}

/** active, rotated, expired or revoked. */
export const KeyStatus = ({ status }: { status: string }) => stateOf(KEY, status);
/** pending, active, declined, withdrawn, revoked or expired. */
export const GrantStatus = ({ status }: { status: string }) => stateOf(GRANT, status);
/** ok or allowed, refused, limited or failed, as a word. */
export const outcomeText = (outcome: string): string => OUTCOME[outcome]?.[1] ?? outcome;
/** The same with its colour. */
export const Outcome = ({ outcome }: { outcome: string }) => stateOf(OUTCOME, outcome);

/** For a test client that the firm made. */
export const TestClientTag = () => (
  <span className={classes.environment} data-environment="sandbox">
    Test client
  </span>
);

/** sandbox or production. */
export function EnvironmentTag({ environment }: { environment: string }) {
  return (
    <span className={classes.environment} data-environment={environment}>
      {environment === 'production' ? 'Production' : 'Sandbox'}
    </span>
  );
}
