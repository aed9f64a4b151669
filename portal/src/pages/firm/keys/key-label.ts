// Firm: the name of a key in a list of choices.
import { isolated } from '../../../components/names.ts';

/** A rotated key has the name of its successor; the end of the secret tells them apart. */
export const keyLabel = ({ name, lastFour }: { name: string; lastFour: string }): string =>
  `${isolated(name)} (…${lastFour})`;
