// Firm: keys as choices in forms and filters.
import { isolated } from '../../../components/names.ts';
import type { KeyChoicesQuery } from '../../../generated/operations.ts';

export type KeyChoice = KeyChoicesQuery['body'][number];

/** A rotated key has the name of its successor; the end of the secret tells them apart. */
export const keyLabel = ({ name, lastFour }: Pick<KeyChoice, 'name' | 'lastFour'>): string =>
  `${isolated(name)} (…${lastFour})`;
