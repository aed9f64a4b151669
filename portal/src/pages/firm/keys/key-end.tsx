// Firm: the end of a key's secret, where keys with the same name are listed together.
import { KeyChoices } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';

/** Nothing until the keys are read. */
export function KeyEnd({ of: id }: { of: string }) {
  const lastFour = useRead(KeyChoices, {}).data?.find((key) => key.id === id)?.lastFour;
  return lastFour === undefined ? null : <>(…{lastFour})</>;
}
