// Operations: limits in shadow mode: which, since when, by whom and why.
import { Stack, Text, Title } from '@mantine/core';
import { Notice } from '../../components/page/notice.tsx';
import { Time } from '../../components/time.tsx';
import { TierShadows } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import type { LimitBody } from './limit-body.ts';
import classes from './limits.module.css';
import { tierName } from './tier.ts';

/** The tiers that are in shadow mode; nothing where none is. */
export function ShadowNotice({ pace }: { pace: { every?: number } }) {
  const { data } = useRead(TierShadows, {}, pace);
  const shadowed = data?.filter((tier) => tier.shadowed) ?? [];
  if (shadowed.length === 0) return null;
  return (
    <Stack gap="sm">
      {shadowed.map(({ tier, history: [change] }) => (
        <Notice key={tier} tone="info" title={`${tierName(tier)} is in shadow mode`}>
          Requests over the limits of its keys are counted and let pass.
          {change && (
            <>
              {' '}
              {change.actor.name}, <Time at={change.at} as="moment" />: {change.reason}
            </>
          )}
        </Notice>
      ))}
    </Stack>
  );
}

/** What puts the limit of a key of this tier in shadow mode. */
export const shadowText = (shadow: string, tier: string): string =>
  shadow === 'key' ? 'This key and its rotations' : `Every key of the tier ${tierName(tier)}`;

/** Of the key; nothing where it never was in shadow mode by itself. */
export function ShadowHistory({ of }: { of: LimitBody['shadowHistory'] }) {
  if (of.length === 0) return null;
  return (
    <div>
      <Title order={3} mb="sm">
        Shadow mode of this key
      </Title>
      <ol className={classes.history}>
        {of.map(({ shadowed, at, reason, actor }) => (
          <li key={at}>
            <span className="breakable">
              {shadowed ? 'On' : 'Off'}: {reason}
            </span>
            <Text span className={classes.who} size="sm">
              {actor.name}, <Time at={at} as="moment" />
            </Text>
          </li>
        ))}
      </ol>
    </div>
  );
}
