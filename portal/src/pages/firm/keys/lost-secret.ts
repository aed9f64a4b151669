// Firm: a key that was created, but whose secret was lost with the response.
import { isolated } from '../../../components/names.ts';
import { type CreateKeyMutationVariables, FirmKey } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { find } from '../../../graphql/find.ts';
import { PorticoError } from '../../../graphql/portico-error.ts';

/** Null if the key was not created. Throws PorticoError `secret_lost` if it was. */
export async function createdWithoutSecret({ id, name }: CreateKeyMutationVariables): Promise<null> {
  const key = await find(FirmKey, { id: id ?? '' });
  if (key === null) return null;
  throw secretLost(key.id, `“${isolated(name)}” was created, but its secret was lost on the way.`);
}

/** Null if the key was not rotated since `since` (Unix milliseconds). Throws PorticoError `secret_lost` if it was. */
export async function rotatedWithoutSecret({ id }: { id: string }, since: number): Promise<null> {
  const { rotatedTo, events } = await call(FirmKey, { id });
  const recent = events.some(({ action, at, keyId }) => action === 'rotate' && keyId === id && Date.parse(at) >= since);
  if (rotatedTo === null || !recent) return null;
  throw secretLost(rotatedTo, 'The key was rotated, but its new secret was lost on the way.');
}

/** `param` is the key's id. The status is 200, so that the look-up is not repeated. */
const secretLost = (id: string, what: string) =>
  new PorticoError(200, {
    code: 'secret_lost',
    param: id,
    message: `${what} Rotate it for another one, or revoke it.`,
  });
