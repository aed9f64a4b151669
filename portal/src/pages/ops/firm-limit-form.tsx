// Operations: sets or removes the limit of all keys of a firm together.
import { Checkbox, NumberInput, Stack, Text } from '@mantine/core';
import { MAX_FIRM_LIMIT } from '#core/tiers.ts';
import { FormEnd } from '../../components/form-end.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { countText } from '../../components/numbers.tsx';
import { ActionFault } from '../../components/page/action-fault.tsx';
import { Notice } from '../../components/page/notice.tsx';
import { Time } from '../../components/time.tsx';
import { Limit, type LimitQuery, SetFirmLimit } from '../../generated/operations.ts';
import { call } from '../../graphql/call.ts';
import { useAction } from '../../graphql/use-action.ts';
import { NO_OCCASION, OCCASION_RULES, type OccasionDraft, OccasionFields } from './occasion.tsx';

/** The thousands separator in the reader's locale. */
const GROUPS = /\D/.exec(countText(100_000))?.[0] ?? ',';

export const firmDraft = (firmId: string): string => `limit of ${firmId}`;

interface FirmLimitDraft extends OccasionDraft {
  /** Empty for no limit. */
  perMinute: number | '';
  /** Whether only the limit that expires is to end. */
  lasting: boolean;
}

const isLimit = ({ perMinute, lasting }: FirmLimitDraft): boolean => perMinute !== '' && !lasting;

function sendLabel({ perMinute, lasting }: FirmLimitDraft): string {
  if (lasting) return 'End the present limit';
  return perMinute === '' ? 'Remove the limit' : 'Set the limit';
}

interface FirmLimitFormProps {
  limit: LimitQuery['body'];
  onDone: () => void;
}

export function FirmLimitForm({ limit, onDone }: FirmLimitFormProps) {
  const { keyId, firmId, firmName, firm, firmLimitHistory } = limit;
  const [last] = firmLimitHistory;
  const briefUntil = last?.ended === false ? last.endsAt : null;
  const action = useAction(SetFirmLimit, {
    lookUp: async ({ perMinute = null, lasting, reason }) => {
      const [newest] = (await call(Limit, { keyId })).firmLimitHistory;
      const done = lasting ? newest?.endsAt === null : newest?.limit === perMinute;
      return done && newest?.reason === reason ? { limit: newest.limit ?? 0 } : null;
    },
    onDone,
  });
  const { form, fault, submit } = useGuardedForm<FirmLimitDraft>({
    name: firmDraft(firmId),
    start: { ...NO_OCCASION, perMinute: firm?.limit ?? '', lasting: false },
    validate: {
      ...OCCASION_RULES,
      endsAt: (at, values) => (isLimit(values) ? OCCASION_RULES.endsAt(at) : null),
      perMinute: (count, values) =>
        values.lasting || count === '' || (Number.isInteger(count) && count >= 1 && count <= MAX_FIRM_LIMIT)
          ? null
          : `A limit is a whole number from 1 to ${countText(MAX_FIRM_LIMIT)}.`,
    },
    refused: action.error,
  });
  const { perMinute, lasting } = form.values;
  const limited = isLimit(form.values);
  const send = submit(({ reason, endsAt }) => {
    const count = limited ? Number(perMinute) : null;
    action.start({ firmId, perMinute: count, lasting, reason: reason.trim(), endsAt: limited ? endsAt : null });
  });
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text size="sm">
          All keys of <bdi>{firmName}</bdi> together, in addition to the limit of each. It applies from the next call,
          on every gateway.
        </Text>
        {(briefUntil !== null || lasting) && (
          <Checkbox
            label="As before the present limit"
            description={
              briefUntil !== null && (
                <>
                  Ends it now instead of <Time at={briefUntil} as="moment" />
                </>
              )
            }
            {...form.getInputProps('lasting', { type: 'checkbox' })}
          />
        )}
        {briefUntil === null && lasting && !action.isPending && (
          <Notice tone="warn" title="That limit has ended meanwhile" alert>
            It is as before already. You can still send this, with your reason.
          </Notice>
        )}
        <NumberInput
          disabled={lasting}
          label="Requests in any 60 seconds"
          description="Empty: no limit for the firm"
          hideControls
          allowDecimal={false}
          thousandSeparator={GROUPS}
          decimalSeparator={GROUPS === '.' ? ',' : '.'}
          {...form.getInputProps('perMinute')}
          onChange={(value) => form.setFieldValue('perMinute', value === '' ? '' : Number(value))}
        />
        <OccasionFields form={form} ends={limited} />
        <ActionFault of={{ ...action, error: fault }} />
        <FormEnd send={sendLabel(form.values)} action={action} onCancel={onDone} />
      </Stack>
    </form>
  );
}
