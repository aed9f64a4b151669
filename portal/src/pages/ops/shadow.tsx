// Operations: limits in shadow mode: which tiers, since when, by whom and why, and the form to change it.
import { Button, Stack, Title } from '@mantine/core';
import { lazy, Suspense, useRef, useState } from 'react';
import { countText } from '../../components/numbers.tsx';
import { Notice } from '../../components/page/notice.tsx';
import { Section } from '../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../components/page/states.tsx';
import { Status } from '../../components/status.tsx';
import { tierName } from '../../components/tier.ts';
import { Time } from '../../components/time.tsx';
import { type LimitQuery, TierShadows, type TierShadowsQuery } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import { useStoredDraft } from '../../session/drafts.ts';
import { GuardedPart, mayLeave } from '../../session/leaving.ts';
import { useViewer } from '../../session/viewer.ts';
import classes from './limits.module.css';
import { ChangeList, shadowDraft } from './occasion.tsx';

const TierShadowForm = lazy(async () => ({ default: (await import('./shadow-form.tsx')).TierShadowForm }));

type Tier = TierShadowsQuery['body'][number];

/** Tiers in shadow mode, with time, actor and reason; nothing if there are none. */
export function ShadowNotice({ every }: { every: number | false }) {
  const reading = useRead(TierShadows, {}, { every });
  return (
    <Reading of={reading} skeleton={<BlockSkeleton lines={1} />}>
      {(tiers) => <ShadowedTiers of={tiers.filter(({ shadowed }) => shadowed)} />}
    </Reading>
  );
}

function ShadowedTiers({ of: shadowed }: { of: readonly Tier[] }) {
  if (shadowed.length === 0) return null;
  return (
    <Stack gap="sm" mb="lg">
      {shadowed.map(({ tier, endsAt, history }) => {
        const change = history.find((row) => row.shadowed === true && row.endsAt === endsAt && !row.ended);
        return (
          <Notice key={tier} tone="info" title={`${tierName(tier)} is in shadow mode`}>
            Requests over the limits of its keys are counted and let pass
            {endsAt !== null && (
              <>
                {' '}
                until <Time at={endsAt} as="moment" />
              </>
            )}
            .
            {change && (
              <>
                {' '}
                <bdi>{change.actor.name}</bdi>, <Time at={change.at} as="moment" />: <bdi>{change.reason}</bdi>
              </>
            )}
          </Notice>
        );
      })}
    </Stack>
  );
}

export function TierSection({ every }: { every: number | false }) {
  const reading = useRead(TierShadows, {}, { every });
  return (
    <Section
      title="Tiers"
      lead="In shadow mode, calls over the limits of a tier’s keys are counted and reported, and let pass."
    >
      <Reading of={reading} skeleton={<BlockSkeleton lines={4} />}>
        {(tiers) => (
          <ul className={classes.tiers}>
            {tiers.map((tier) => (
              <TierRow key={tier.tier} of={tier} />
            ))}
          </ul>
        )}
      </Reading>
    </Section>
  );
}

function TierRow({ of: { tier, shadowed, history } }: { of: Tier }) {
  const { tiers } = useViewer();
  const hasDraft = useStoredDraft(shadowDraft(tier)) !== null;
  const [changing, setChanging] = useState(hasDraft);
  const limit = tiers.find((row) => row.tier === tier)?.limit;
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setChanging(false);
    opener.current?.focus();
  };
  return (
    <li aria-label={tierName(tier)}>
      <div className={classes.tierHead}>
        <div>
          <Title order={3}>{tierName(tier)}</Title>
          {limit !== undefined && <span className={classes.who}>{countText(limit)} requests a minute</span>}
        </div>
        <Status tone={shadowed ? 'warn' : 'good'}>{shadowed ? 'In shadow mode' : 'Refuses'}</Status>
        <Button
          ref={opener}
          variant="default"
          aria-expanded={changing}
          onClick={async () => {
            if (changing && !(await mayLeave(tier))) return;
            setChanging(!changing);
          }}
        >
          {shadowed ? 'End shadow mode…' : 'Start shadow mode…'}
        </Button>
      </div>
      {changing && (
        <div className={classes.tierForm}>
          <GuardedPart value={tier}>
            <Suspense fallback={<BlockSkeleton lines={3} />}>
              <TierShadowForm tier={tier} shadowed={shadowed} onDone={close} />
            </Suspense>
          </GuardedPart>
        </div>
      )}
      {history.length > 0 && (
        <details className={classes.changes}>
          <summary>Changes</summary>
          <ChangeList rows={history.map(shadowRow)} />
        </details>
      )}
    </li>
  );
}

/** Why the limit of a key of this tier is in shadow mode. */
export const shadowText = (shadow: string, tier: string): string =>
  shadow === 'key' ? 'This key and its rotations' : `Every key of the tier ${tierName(tier)}`;

type Change = LimitQuery['body']['shadowHistory'][number];

const shadowRow = ({ shadowed, ...row }: Change) => ({
  ...row,
  what: shadowed === null ? 'As before' : shadowed ? 'On' : 'Off',
});

/** Changes for the key; nothing if it was never in shadow mode on its own. */
export function ShadowHistory({ of }: { of: readonly Change[] }) {
  if (of.length === 0) return null;
  return (
    <Stack gap={0}>
      <Title order={3} mb="sm">
        Shadow mode of this key
      </Title>
      <ChangeList rows={of.map(shadowRow)} />
    </Stack>
  );
}
