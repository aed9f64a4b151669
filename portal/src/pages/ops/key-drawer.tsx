// Operations: a key beside the list: its use, its tier, its firm's limit, and all their changes.
import { Button, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { type ComponentProps, useState } from 'react';
import { CopyText } from '../../components/copy.tsx';
import { Dimmed } from '../../components/dimmed.tsx';
import { FirmFacts } from '../../components/firm-identity.tsx';
import { useFocusBack, useFocusInPlace } from '../../components/focus.ts';
import { Meter } from '../../components/meter.tsx';
import { countText } from '../../components/numbers.tsx';
import { Facts } from '../../components/page/section.tsx';
import { BlockSkeleton, Reading, RefetchFailure } from '../../components/page/states.tsx';
import { EnvironmentTag } from '../../components/status.tsx';
import { useFilters } from '../../components/table/filter-bar.tsx';
import { tierName } from '../../components/tier.ts';
import { Time } from '../../components/time.tsx';
import { Limit, type LimitQuery } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import { useStoredDraft } from '../../session/drafts.ts';
import { GuardedPart, mayLeave } from '../../session/leaving.ts';
import { FirmLimitForm, firmDraft } from './firm-limit-form.tsx';
import { HistoryFigure } from './history-figure.tsx';
import { ChangeList, shadowDraft } from './occasion.tsx';
import { ShadowHistory, shadowText } from './shadow.tsx';
import { KeyShadowForm } from './shadow-form.tsx';
import { draftName, TierForm } from './tier-form.tsx';

type LimitBody = LimitQuery['body'];

const PART = 'key';

/** Open while the address names a key. */
export default function KeyDrawer({ live }: { live: boolean }) {
  const { values, set } = useFilters(['key']);
  const { key } = values;
  useFocusBack(key !== null);
  const close = async () => {
    if (await mayLeave(PART)) set({ key: null });
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
      <GuardedPart value={PART}>{key !== null && <KeyPanel key={key} keyId={key} live={live} />}</GuardedPart>
    </Drawer>
  );
}

function KeyPanel({ keyId, live }: { keyId: string; live: boolean }) {
  const reading = useRead(Limit, { keyId }, { every: live && 3_000 });
  return (
    <Stack gap="xl">
      <RefetchFailure of={reading} />
      <Reading of={reading} skeleton={<BlockSkeleton lines={8} />}>
        {(limit) => <KeyAndTier limit={limit} />}
      </Reading>
    </Stack>
  );
}

type Form = 'tier' | 'shadow' | 'firm';

function KeyAndTier({ limit }: { limit: LimitBody }) {
  const hasDraft: Record<Form, boolean> = {
    tier: useStoredDraft(draftName(limit.keyId)) !== null,
    shadow: useStoredDraft(shadowDraft(limit.keyId)) !== null,
    firm: useStoredDraft(firmDraft(limit.firmId)) !== null,
  };
  const [form, setForm] = useState<Form | null>(FORMS.find((name) => hasDraft[name]) ?? null);
  const { keyId, name, firmName, firmIdentity, environment, tier, tierOverride, tierOverrideEndsAt, shadow } = limit;
  const { used, refused, wouldRefuse, firm } = limit;
  const done = () => setForm(null);
  const place = useFocusInPlace(form);
  const inShadow = shadow === 'key';
  return (
    <Stack gap="xl">
      <div>
        <Text fz="h2" lh="h2" fw={600} className="breakable">
          <bdi>{name}</bdi>
        </Text>
        <Dimmed className="breakable">
          <bdi>{firmName}</bdi>
        </Dimmed>
      </div>
      <FirmFacts of={firmIdentity} />
      <Facts
        of={[
          ['Last minute', <Meter key="use" used={used} limit={limit.limit} />],
          shadow === null ? ['Refused', countText(refused)] : ['Let pass', countText(wouldRefuse)],
          [
            'All keys of the firm',
            firm === null ? 'No limit' : <Meter key="firm" used={firm.used} limit={firm.limit} />,
          ],
          ['Tier', `${tierName(tier)}, ${tierOverride === null ? originOf(environment) : 'an override'}`],
          ['Override ends', tierOverrideEndsAt && <Time key="ends" at={tierOverrideEndsAt} as="moment" />],
          ['Shadow mode', shadow && shadowText(shadow, tier)],
          ['Environment', <EnvironmentTag key="environment" environment={environment} />],
          ['Key id', <CopyText key="id" value={keyId} label="key id" />],
        ]}
      />
      <div ref={place}>
        {form === 'tier' && <TierForm limit={limit} onDone={done} />}
        {form === 'shadow' && <KeyShadowForm keyId={keyId} name={name} shadowed={inShadow} onDone={done} />}
        {form === 'firm' && <FirmLimitForm limit={limit} onDone={done} />}
        {form === null && (
          <Group gap="sm">
            <Button variant="default" onClick={() => setForm('tier')} data-opens="tier">
              Change tier
            </Button>
            <Button variant="default" onClick={() => setForm('shadow')} data-opens="shadow">
              {inShadow ? 'End shadow mode…' : 'Start shadow mode…'}
            </Button>
            <Button variant="default" onClick={() => setForm('firm')} data-opens="firm">
              Limit the firm
            </Button>
          </Group>
        )}
      </div>
      <HistoryFigure keyId={keyId} />
      <TierHistory of={limit.tierHistory} environment={environment} />
      <ShadowHistory of={limit.shadowHistory} />
      <FirmLimitHistory of={limit.firmLimitHistory} />
    </Stack>
  );
}

const FORMS: readonly Form[] = ['tier', 'shadow', 'firm'];

/** The source of the tier of a key without an override. */
const originOf = (environment: string): string => (environment === 'sandbox' ? 'as every sandbox key' : 'its firm’s');

function TierHistory({ of, environment }: { of: LimitBody['tierHistory']; environment: string }) {
  return (
    <History
      title="Changes of the tier"
      none={`None: it has always been ${originOf(environment)}.`}
      rows={of.map(({ tier, ...row }) => ({
        ...row,
        what: row.ended
          ? 'Override ended: as before'
          : tier === null
            ? `Override lifted: ${originOf(environment)} again`
            : `Override: ${tierName(tier)}`,
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
        what: row.ended
          ? 'As before'
          : limit === null
            ? 'No limit for the firm'
            : `${countText(limit)} requests a minute`,
      }))}
    />
  );
}

interface HistoryProps extends ComponentProps<typeof ChangeList> {
  title: string;
  /** Shown if there are no rows. */
  none: string;
}

function History({ title, none, rows }: HistoryProps) {
  return (
    <div>
      <Title order={3} mb="sm">
        {title}
      </Title>
      {rows.length === 0 ? <Dimmed>{none}</Dimmed> : <ChangeList rows={rows} />}
    </div>
  );
}
