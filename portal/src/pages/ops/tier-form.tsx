// Operations: overriding a key's tier, or giving it back its own; said once more before it is done.
import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { countText } from '../../components/numbers.tsx';
import { StepFault } from '../../components/page/step-fault.tsx';
import { Limit, Limits, SetKeyTier, WhatIf } from '../../generated/operations.ts';
import { call } from '../../graphql/call.ts';
import { useStep } from '../../graphql/use-step.ts';
import { useDraftGuard, useKept } from '../../session/drafts.ts';
import { useViewer } from '../../session/viewer.ts';
import type { LimitBody } from './limit-body.ts';
import { tierName } from './tier.ts';

/** Stands for no override. */
const OWN = 'own';

/** Of the form of a key, among what is kept of the page. */
export const draftName = (keyId: string): string => `tier of ${keyId}`;

interface TierFormProps {
  limit: LimitBody;
  onDone: () => void;
}

export function TierForm({ limit: { keyId, name, tierOverride, environment, used }, onDone }: TierFormProps) {
  const { tiers } = useViewer();
  const now = tierOverride ?? OWN;
  const [chosen, setChosen] = useState(useKept<string>(draftName(keyId)) ?? now);
  useDraftGuard({ name: draftName(keyId), values: chosen, changed: chosen !== now });
  const [sure, setSure] = useState(false);
  const change = useStep(SetKeyTier, {
    touches: [Limit, Limits, WhatIf],
    ask: async ({ tier, ...of }) => {
      const limit = await call(Limit, of);
      return limit.tierOverride === (tier ?? null) ? limit : null;
    },
    onDone: ({ tier, limit }) => {
      notifications.show({
        message: `“${name}” has the tier ${tierName(tier)}: ${countText(limit)} requests a minute.`,
      });
      onDone();
    },
  });
  const row = tiers.find(({ tier }) => tier === chosen);
  const own = environment === 'sandbox' ? 'The sandbox tier again' : 'The firm’s tier again';
  if (sure)
    return (
      <Stack gap="md">
        <Alert
          variant="default"
          icon={<IconInfoCircle aria-hidden />}
          title={row ? `Set ${tierName(row.tier)}?` : `${own}?`}
        >
          It holds within five seconds.
          {row &&
            ` “${name}” then has ${countText(row.limit)} requests in any 60 seconds; ${countText(used)} were used in the last.`}
          {row && used > row.limit && ' That is more than the new limit: calls will be refused at once.'}
        </Alert>
        <StepFault of={change} />
        <Group gap="sm">
          <Button
            onClick={() => change.take({ keyId, tier: chosen === OWN ? null : chosen })}
            loading={change.isPending}
            data-autofocus
          >
            {row ? `Set ${tierName(row.tier)}` : 'Lift the override'}
          </Button>
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
    <Stack gap="md">
      <Radio.Group label="Tier of this key" value={chosen} onChange={setChosen}>
        <Stack gap="xs" mt="xs">
          <Radio
            value={OWN}
            label={tierOverride === null ? own.replace(' again', '') : own}
            description="No override"
          />
          {tiers.map(({ tier, limit }) => (
            <Radio
              key={tier}
              value={tier}
              label={tierName(tier)}
              description={`${countText(limit)} requests a minute`}
            />
          ))}
        </Stack>
      </Radio.Group>
      {chosen === now && (
        <Text size="sm" c="dimmed">
          This is how it is now.
        </Text>
      )}
      <Group gap="sm">
        <Button onClick={() => setSure(true)} disabled={chosen === now}>
          Go on
        </Button>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
