// Firm: a request for access in the making, and the sending of it.
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useLocation, useSearchParams } from 'wouter';
import {
  FirmKey,
  FirmKeys,
  GrantCounts,
  Grants,
  type KeyChoices,
  RequestGrant,
} from '../../../generated/operations.ts';
import { useMutate } from '../../../graphql/hooks.ts';
import type { BodyOf } from '../../../graphql/operation.ts';
import { type FilterDraft, filterFault, filterInput } from './filter-field.tsx';

export type KeyChoice = BodyOf<typeof KeyChoices>[number];

interface AskDraft {
  client: string;
  keyId: string;
  scopes: string[];
  filter: FilterDraft;
  expiresAt: string | null;
  purpose: string;
}

const VALIDATE = {
  client: (client: string) => (client.trim() === '' ? 'Say whom to ask.' : null),
  scopes: (scopes: string[]) => (scopes.length === 0 ? 'Ask for at least one scope.' : null),
  filter: filterFault,
  purpose: (purpose: string) => (purpose.trim() === '' ? 'Say what it is for: the client decides by it.' : null),
};

/** The address may say what to begin with: `client`, `key`, `scopes` (separated by commas). */
export function useAsk(keys: readonly KeyChoice[]) {
  const [wanted] = useSearchParams();
  const [, navigate] = useLocation();
  const keyOf = (id: string) => keys.find((key) => key.id === id) ?? keys[0];
  const first = keyOf(wanted.get('key') ?? '');
  const ask = useMutate(RequestGrant, {
    touches: [Grants, GrantCounts, FirmKeys, FirmKey],
    onDone: ({ id, clientName }) => {
      notifications.show({ message: `${clientName} has your request.` });
      navigate(`/access/${id}`);
    },
  });
  const form = useForm<AskDraft>({
    initialValues: {
      client: wanted.get('client') ?? '',
      keyId: first?.id ?? '',
      scopes: wanted.get('scopes')?.split(',') ?? [...(first?.scopes ?? [])],
      filter: { type: 'all', categories: [], items: '', collection: '' },
      expiresAt: null,
      purpose: '',
    },
    validate: VALIDATE,
  });
  return {
    form,
    ask,
    scopesOfKey: keyOf(form.values.keyId)?.scopes ?? [],
    /** Another key, with all that it has. */
    chooseKey: (id: string) => form.setValues({ keyId: id, scopes: [...(keyOf(id)?.scopes ?? [])] }),
    submit: form.onSubmit((draft) => ask.mutate(requestOf(draft))),
  };
}

const requestOf = ({ client, filter, purpose, ...rest }: AskDraft) => ({
  ...rest,
  client: client.trim(),
  filter: filterInput(filter),
  purpose: purpose.trim(),
});
