// Operations: overrides a key's tier, or removes the override, after a confirmation.
import { Alert, Button, Group, Radio, Stack } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { LASTING } from '#core/tiers.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { Dimmed } from '../../components/dimmed.tsx';
import { useFocusInPlace } from '../../components/focus.ts';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { countText } from '../../components/numbers.tsx';
import { ActionFault } from '../../components/page/action-fault.tsx';
import { tierName } from '../../components/tier.ts';
import { Time } from '../../components/time.tsx';
import { Limit, type LimitQuery, SetKeyTier } from '../../generated/operations.ts';
import { call } from '../../graphql/call.ts';
import { useAction } from '../../graphql/use-action.ts';
import { useViewer } from '../../session/viewer.ts';
import { NO_OCCASION, OCCASION_RULES, type OccasionDraft, OccasionFields } from './occasion.tsx';

/** The option for no override. */
const OWN = 'own';
const isTier = (chosen: string): boolean => chosen !== OWN && chosen !== LASTING;

/** The name of a key's form among the drafts of the page. */
export const draftName = (keyId: string): string => `tier of ${keyId}`;

interface TierDraft extends OccasionDraft {
  tier: string;
}

interface TierFormProps {
  limit: LimitQuery['body'];
  onDone: () => void;
}

export function TierForm({
  limit: { keyId, name, tierOverride, tierOverrideEndsAt, environment, used },
  onDone,
}: TierFormProps) {
  const { tiers } = useViewer();
  const now = tierOverride ?? OWN;
  const [sure, setSure] = useState(false);
  const change = useAction(SetKeyTier, {
    lookUp: async ({ tier = null, reason }) => {
      const limit = await call(Limit, { keyId });
      const [last] = limit.tierHistory;
      const done = tier === LASTING ? last?.endsAt === null : last?.tier === tier;
      return done && last?.reason === reason ? limit : null;
    },
    done: ({ tier, limit }) => (
      <>
        “<bdi>{name}</bdi>” has the tier {tierName(tier)}: {countText(limit)} requests a minute.
      </>
    ),
    onDone,
  });
  const { form, fault, submit } = useGuardedForm<TierDraft>({
    name: draftName(keyId),
    start: { ...NO_OCCASION, tier: now },
    validate: { ...OCCASION_RULES, endsAt: (at, { tier }) => (isTier(tier) ? OCCASION_RULES.endsAt(at) : null) },
    refused: change.error,
  });
  // A refusal that names a field returns to the form, which has the fields.
  const names = change.error?.param ?? null;
  useEffect(() => {
    if (names !== null) setSure(false);
  }, [names]);
  const { tier: chosen, reason } = form.values;
  const endsAt = isTier(chosen) ? form.values.endsAt : null;
  const row = tiers.find(({ tier }) => tier === chosen);
  const own = environment === 'sandbox' ? 'The sandbox tier again' : 'The firm’s tier again';
  const question = chosen === LASTING ? 'End the override now?' : `${own}?`;
  const place = useFocusInPlace(sure ? 'question' : 'form');
  if (sure)
    return (
      <Stack gap="md" ref={place}>
        <Alert
          variant="default"
          icon={<IconInfoCircle aria-hidden />}
          title={row ? `Set ${tierName(row.tier)}?` : question}
        >
          <Outcome name={name} limit={row?.limit} used={used} endsAt={endsAt} />
        </Alert>
        <ActionFault of={{ ...change, error: fault }} />
        <Group gap="sm">
          <ActionButton
            onClick={() => {
              change.start({ keyId, tier: chosen === OWN ? null : chosen, reason: reason.trim(), endsAt });
            }}
            busy={change.isPending}
          >
            {row ? `Set ${tierName(row.tier)}` : 'Lift the override'}
          </ActionButton>
          <Button
            variant="default"
            onClick={() => {
              change.cancel();
              setSure(false);
            }}
          >
            Back
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form ref={place} onSubmit={submit(() => setSure(true))} noValidate>
      <Stack gap="md">
        <Radio.Group label="Tier of this key" {...form.getInputProps('tier')}>
          <TierChoices own={tierOverride === null ? own.replace(' again', '') : own} briefUntil={tierOverrideEndsAt} />
        </Radio.Group>
        {chosen === now && chosen === OWN && <Dimmed>This is the present tier.</Dimmed>}
        <OccasionFields form={form} ends={isTier(chosen)} />
        <ActionFault of={{ ...change, error: fault }} />
        <Group gap="sm">
          <Button type="submit" disabled={chosen === now && chosen === OWN}>
            Continue
          </Button>
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface OutcomeProps {
  name: string;
  /** Absent if the override is removed. */
  limit: number | undefined;
  used: number;
  endsAt: string | null;
}

function Outcome({ name, limit, used, endsAt }: OutcomeProps) {
  return (
    <>
      It applies from the next call, on every gateway
      {endsAt === null ? (
        '.'
      ) : (
        <>
          , until <Time at={endsAt} as="moment" />.
        </>
      )}
      {limit !== undefined && (
        <>
          {' '}
          “<bdi>{name}</bdi>” then has {countText(limit)} requests in any 60 seconds; {countText(used)} were used in the
          last.
          {used > limit && ' That is more than the new limit: calls will be refused at once.'}
        </>
      )}
    </>
  );
}

interface TierChoicesProps {
  own: string;
  /** The end of the present override, if it has one. */
  briefUntil: string | null;
}

function TierChoices({ own, briefUntil }: TierChoicesProps) {
  const { tiers } = useViewer();
  return (
    <Stack gap="xs" mt="xs">
      <Radio value={OWN} label={own} description="No override" />
      {briefUntil !== null && (
        <Radio
          value={LASTING}
          label="As before the present override"
          description={
            <>
              Ends it now instead of <Time at={briefUntil} as="moment" />
            </>
          }
        />
      )}
      {tiers.map(({ tier, limit }) => (
        <Radio key={tier} value={tier} label={tierName(tier)} description={`${countText(limit)} requests a minute`} />
      ))}
    </Stack>
  );
}
