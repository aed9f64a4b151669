// Components: what is being typed, once the typing pauses.
import { useDebouncedValue } from '@mantine/hooks';

const PAUSE_MS = 250;

export function useDebounced(value: string): string {
  return useDebouncedValue(value.trim(), PAUSE_MS)[0];
}
