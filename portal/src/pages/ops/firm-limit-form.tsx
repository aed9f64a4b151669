// Operations: sets or removes the limit of all keys of a firm together.
import { NumberInput, Stack, Text } from '@mantine/core';
import { FormEnd } from '../../components/form-end.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { countText } from '../../components/numbers.tsx';
import { ActionFault } from '../../components/page/action-fault.tsx';
import { Limit, Limits, SetFirmLimit } from '../../generated/operations.ts';
import { call } from '../../graphql/call.ts';
import { useAction } from '../../graphql/use-action.ts';
import type { LimitBody } from './limit-body.ts';
import { NO_OCCASION, OCCASION_RULES, type OccasionDraft, OccasionFields } from './occasion.tsx';

const MAX = 65_535;
/** The thousands separator in the reader's locale. */
const GROUPS = /\D/.exec(countText(100_000))?.[0] ?? ',';

export const firmDraft = (firmId: string): string => `limit of ${firmId}`;

interface FirmLimitDraft extends OccasionDraft {
  /** Empty for no limit. */
  perMinute: number | '';
}

interface FirmLimitFormProps {
  limit: LimitBody;
  onDone: () => void;
}

export function FirmLimitForm({ limit: { keyId, firmId, firmName, firm }, onDone }: FirmLimitFormProps) {
  const action = useAction(SetFirmLimit, {
    touches: [Limit, Limits],
    lookUp: async ({ perMinute = null, reason }) => {
      const [last] = (await call(Limit, { keyId })).firmLimitHistory;
      return last?.limit === perMinute && last.reason === reason ? { limit: perMinute ?? 0 } : null;
    },
    onDone,
  });
  const { form, fault, submit } = useGuardedForm<FirmLimitDraft>({
    name: firmDraft(firmId),
    start: { ...NO_OCCASION, perMinute: firm?.limit ?? '' },
    validate: {
      ...OCCASION_RULES,
      endsAt: (at, { perMinute }) => (perMinute === '' ? null : OCCASION_RULES.endsAt(at)),
      perMinute: (count) =>
        count === '' || (Number.isInteger(count) && count >= 1 && count <= MAX)
          ? null
          : `A limit is a whole number from 1 to ${countText(MAX)}.`,
    },
    refused: action.error,
  });
  const { perMinute } = form.values;
  const send = submit(({ reason, endsAt }) => {
    const none = perMinute === '';
    action.start({ firmId, perMinute: none ? null : perMinute, reason: reason.trim(), endsAt: none ? null : endsAt });
  });
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text size="sm">
          All keys of <bdi>{firmName}</bdi> together, in addition to the limit of each. It applies from the next call,
          on every gateway.
        </Text>
        <NumberInput
          label="Requests in any 60 seconds"
          description="Empty: no limit for the firm"
          hideControls
          allowDecimal={false}
          thousandSeparator={GROUPS}
          decimalSeparator={GROUPS === '.' ? ',' : '.'}
          {...form.getInputProps('perMinute')}
          onChange={(value) => form.setFieldValue('perMinute', value === '' ? '' : Number(value))}
        />
        <OccasionFields form={form} ends={perMinute !== ''} />
        <ActionFault of={{ ...action, error: fault }} />
        <FormEnd send={perMinute === '' ? 'Remove the limit' : 'Set the limit'} action={action} onCancel={onDone} />
      </Stack>
    </form>
  );
}
