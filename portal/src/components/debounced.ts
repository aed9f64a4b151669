// Components: what is being typed, once the typing pauses.
import { useDebouncedValue } from '@mantine/hooks';

const PAUSE_MS = 250;

/** The text, trimmed, and whether it is not the last one yet. */
export function useDebounced(value: string): [settled: string, waiting: boolean] {
  const typed = value.trim();
  const [settled] = useDebouncedValue(typed, PAUSE_MS);
  return [settled, settled !== typed];
}
