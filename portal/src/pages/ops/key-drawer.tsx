// Operations: one key beside the list: its use, its tier, its firm's limit, and every change of them.
import { Button, Drawer, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { CopyText } from '../../components/copy.tsx';
import { Meter } from '../../components/meter.tsx';
import { countText } from '../../components/numbers.tsx';
import { Facts } from '../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../components/page/states.tsx';
import { EnvironmentTag } from '../../components/status.tsx';
import { useFilters } from '../../components/table/filter-bar.tsx';
import { Time } from '../../components/time.tsx';
import { Limit } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import { useKept } from '../../session/drafts.ts';
import { mayLeave } from '../../session/leaving.ts';
import type { LimitBody } from './limit-body.ts';
import classes from './limits.module.css';
import { ShadowHistory, shadowText } from './shadow.tsx';
import { tierName } from './tier.ts';
import { draftName, TierForm } from './tier-form.tsx';

/** Open while the address names a key. */
export function KeyDrawer({ live }: { live: boolean }) {
  const { values, set } = useFilters(['key']);
  const { key } = values;
  const close = async () => {
    if (await mayLeave()) set({ key: null });
  };
  return (
    <Drawer
      opened={key !== null}
      onClose={() => void close()}
      position="right"
      size="28rem"
      padding="xl"
      title="Key and tier"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {key !== null && <KeyBeside key={key} keyId={key} live={live} />}
    </Drawer>
  );
}

function KeyBeside({ keyId, live }: { keyId: string; live: boolean }) {
  const reading = useRead(Limit, { keyId }, live ? { every: 3_000 } : {});
  return (
    <Reading of={reading} skeleton={<BlockSkeleton lines={8} />}>
      {(limit) => <KeyAndTier limit={limit} />}
    </Reading>
  );
}

function KeyAndTier({ limit }: { limit: LimitBody }) {
  const kept = useKept(draftName(limit.keyId)) !== null;
  const [changing, setChanging] = useState(kept);
  const { keyId, name, firmName, environment, tier, tierOverride, shadow, used, refused, wouldRefuse, firm } = limit;
  return (
    <Stack gap="xl">
      <div>
        <Title order={2} className="breakable">
          {name}
        </Title>
        <Text c="dimmed" size="sm" className="breakable">
          {firmName}
        </Text>
      </div>
      <Facts
        of={[
          ['Last minute', <Meter key="use" used={used} limit={limit.limit} />],
          shadow === null ? ['Refused', countText(refused)] : ['Let pass', countText(wouldRefuse)],
          [
            'All keys of the firm',
            firm === null ? 'No limit' : <Meter key="firm" used={firm.used} limit={firm.limit} />,
          ],
          ['Tier', `${tierName(tier)}, ${tierOverride === null ? originOf(environment) : 'an override'}`],
          ...(shadow === null ? [] : [['Shadow mode', shadowText(shadow, tier)] as const]),
          ['Environment', <EnvironmentTag key="environment" environment={environment} />],
          ['Key id', <CopyText key="id" value={keyId} label="key id" />],
        ]}
      />
      {changing ? (
        <TierForm limit={limit} onDone={() => setChanging(false)} />
      ) : (
        <div>
          <Button variant="default" onClick={() => setChanging(true)}>
            Change tier
          </Button>
        </div>
      )}
      <TierHistory of={limit.tierHistory} environment={environment} />
      <ShadowHistory of={limit.shadowHistory} />
      <FirmLimitHistory of={limit.firmLimitHistory} />
    </Stack>
  );
}

/** Where a key without an override has its tier from. */
export const originOf = (environment: string): string =>
  environment === 'sandbox' ? 'as every sandbox key' : 'its firm’s';

function TierHistory({ of, environment }: { of: LimitBody['tierHistory']; environment: string }) {
  return (
    <History
      title="Changes of the tier"
      none={`None: it has always been ${originOf(environment)}.`}
      rows={of.map(({ tier, ...row }) => ({
        ...row,
        what: tier === null ? `Override lifted: ${originOf(environment)} again` : `Override: ${tierName(tier)}`,
      }))}
    />
  );
}

function FirmLimitHistory({ of }: { of: LimitBody['firmLimitHistory'] }) {
  return (
    <History
      title="Changes of the firm’s limit"
      none="None."
      rows={of.map(({ limit, ...row }) => ({
        ...row,
        what: limit === null ? 'No limit for the firm' : `${countText(limit)} requests a minute`,
      }))}
    />
  );
}

interface HistoryProps {
  title: string;
  /** Said where there are no rows. */
  none: string;
  /** Newest first. */
  rows: readonly { at: string; what: string; actor: { name: string } }[];
}

function History({ title, none, rows }: HistoryProps) {
  return (
    <div>
      <Title order={3} mb="sm">
        {title}
      </Title>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <ol className={classes.history}>
          {rows.map(({ at, what, actor }) => (
            <li key={at}>
              <span>{what}</span>
              <span className={classes.who}>
                {actor.name}, <Time at={at} as="moment" />
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
