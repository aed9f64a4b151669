// Operations: sets or ends shadow mode for the limits of a tier or a key.
import { Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FormEnd } from '../../components/form-end.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { withNames } from '../../components/names.ts';
import { ActionFault } from '../../components/page/action-fault.tsx';
import { Notice } from '../../components/page/notice.tsx';
import { tierName } from '../../components/tier.ts';
import { Limit, SetKeyShadow, SetTierShadow, TierShadows } from '../../generated/operations.ts';
import { call } from '../../graphql/call.ts';
import { type ActionState, useAction } from '../../graphql/use-action.ts';
import { NO_OCCASION, OCCASION_RULES, type OccasionDraft, OccasionFields, shadowDraft } from './occasion.tsx';

interface ShadowFormProps {
  /** Whether it is in shadow mode now; the form does the opposite of what it was when the form was opened. */
  shadowed: boolean;
  onDone: () => void;
}

/** For the key and its rotations. */
export function KeyShadowForm({ keyId, name, ...props }: ShadowFormProps & { keyId: string; name: string }) {
  const action = useAction(SetKeyShadow, {
    lookUp: async ({ shadowed, reason }) => {
      const limit = await call(Limit, { keyId });
      const [last] = limit.shadowHistory;
      return last?.shadowed === shadowed && last.reason === reason ? limit : null;
    },
    onDone: props.onDone,
  });
  return (
    <ShadowForm
      {...props}
      of={withNames`“${name}”`}
      draft={shadowDraft(keyId)}
      action={action}
      start={(values) => action.start({ keyId, ...values })}
    />
  );
}

export function TierShadowForm({ tier, ...props }: ShadowFormProps & { tier: string }) {
  const action = useAction(SetTierShadow, {
    lookUp: async ({ shadowed, reason }) => {
      const found = (await call(TierShadows, {})).find((one) => one.tier === tier);
      const [last] = found?.history ?? [];
      return found && last?.shadowed === shadowed && last.reason === reason ? found : null;
    },
    onDone: props.onDone,
  });
  return (
    <ShadowForm
      {...props}
      of={tierName(tier)}
      draft={shadowDraft(tier)}
      action={action}
      start={(values) => action.start({ tier, ...values })}
    />
  );
}

interface ShadowDraft extends OccasionDraft {
  shadowed: boolean;
}

interface FormProps extends ShadowFormProps {
  /** As part of a sentence. */
  of: ReactNode;
  draft: string;
  action: ActionState;
  start: (values: ShadowDraft) => void;
}

function ShadowForm({ shadowed, of, draft, action, start, onDone }: FormProps) {
  const [opened] = useState<ShadowDraft>({ ...NO_OCCASION, shadowed: !shadowed });
  const { form, fault, submit } = useGuardedForm<ShadowDraft>({
    name: draft,
    start: opened,
    validate: OCCASION_RULES,
    refused: action.error,
  });
  const wanted = form.values.shadowed;
  const send = submit(({ reason, ...values }) => {
    start({ ...values, reason: reason.trim() });
  });
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text size="sm">
          Calls over the limit of {of}{' '}
          {wanted
            ? 'are counted and reported, and let pass. A limit of the firm still refuses.'
            : 'are refused again, from the next one on.'}
        </Text>
        {wanted === shadowed && !action.isPending && (
          <Notice tone="warn" title={`Shadow mode has ${wanted ? 'started' : 'ended'} meanwhile`} alert>
            It is {wanted ? 'on' : 'off'} already. You can still send this, with your reason.
          </Notice>
        )}
        <OccasionFields form={form} ends />
        <ActionFault of={{ ...action, error: fault }} />
        <FormEnd send={wanted ? 'Start shadow mode' : 'End shadow mode'} action={action} onCancel={onDone} />
      </Stack>
    </form>
  );
}
