// Components: typed text, once typing pauses.
import { useDebouncedValue } from '@mantine/hooks';

const PAUSE_MS = 250;

/** The trimmed text, and whether newer text is waiting. */
export function useDebounced(value: string): [settled: string, waiting: boolean] {
  const typed = value.trim();
  const [settled] = useDebouncedValue(typed, PAUSE_MS);
  return [settled, settled !== typed];
}
