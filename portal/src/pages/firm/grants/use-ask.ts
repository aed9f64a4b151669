// Firm: the form for a request for access, and its sending.
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { expiryFault } from '../../../components/expiry-fault.ts';
import { useGuardedForm } from '../../../components/guarded-form.ts';
import { GrantDetail, RequestGrant } from '../../../generated/operations.ts';
import { find } from '../../../graphql/find.ts';
import { newId } from '../../../graphql/new-id.ts';
import { useAction } from '../../../graphql/use-action.ts';
import type { KeyChoice } from '../keys/key-label.ts';
import { type FilterDraft, filterFault, filterFrom, filterInput } from './filter-field.tsx';

interface RequestDraft {
  client: string;
  keyId: string;
  scopes: string[];
  filter: FilterDraft;
  expiresAt: string | null;
  purpose: string;
}

const VALIDATE = {
  client: (client: string) =>
    client.includes('@') || /^usr_./.test(client.trim()) ? null : 'Enter an e-mail address or a client id (usr_…).',
  scopes: (scopes: string[]) => (scopes.length === 0 ? 'Ask for at least one scope.' : null),
  filter: filterFault,
  expiresAt: expiryFault,
  purpose: (purpose: string) => (purpose.trim() === '' ? 'Say what it is for: the client decides by it.' : null),
};

/** The address may give initial values: `client`, `key`, `scopes` (separated by commas), and items. */
export function useGrantRequest(keys: readonly KeyChoice[]) {
  const [wanted] = useSearchParams();
  const [, navigate] = useLocation();
  const keyOf = (id: string) => keys.find((key) => key.id === id);
  const first = keyOf(wanted.get('key') ?? '') ?? keys[0];
  const request = useAction(RequestGrant, {
    lookUp: ({ id }) => find(GrantDetail, { id: id ?? '' }),
    done: () => 'Your request is on record.',
    onDone: ({ id }) => {
      release();
      navigate(`/access/${id}`);
    },
  });
  const [start] = useState<RequestDraft>({
    client: wanted.get('client') ?? '',
    keyId: first?.id ?? '',
    scopes: wanted.get('scopes')?.split(',') ?? [...(first?.scopes ?? [])],
    filter: filterFrom(wanted),
    expiresAt: null,
    purpose: '',
  });
  // The key may be revoked while the form is open, or be that of a kept draft.
  const keyFault = (id: string) => (keyOf(id) === undefined ? 'This key can no longer be used. Choose another.' : null);
  const validate = { ...VALIDATE, keyId: keyFault };
  const guarded = useGuardedForm<RequestDraft>({ name: 'ask', start, validate, refused: request.error });
  const { form, fault, release } = guarded;
  return {
    form,
    field: guarded.field,
    request: { ...request, error: fault },
    release,
    keyFault: keyFault(form.values.keyId),
    scopesOfKey: keyOf(form.values.keyId)?.scopes ?? [],
    /** Selects another key, with all its scopes. */
    chooseKey: (id: string) => form.setValues({ keyId: id, scopes: [...(keyOf(id)?.scopes ?? [])] }),
    submit: guarded.submit((draft) => request.start(requestOf(draft))),
  };
}

const requestOf = ({ client, filter, purpose, ...rest }: RequestDraft) => ({
  ...rest,
  id: newId('grt'),
  client: client.trim(),
  filter: filterInput(filter),
  purpose: purpose.trim(),
});
