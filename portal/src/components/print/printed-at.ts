// Components: the time of printing, and whether the page is being printed, when it shows more than on a screen.
import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import { flushSync } from 'react-dom';

/** `at` is RFC 3339; `printing` is true from just before the layout for print until after it. */
export function usePrintedAt(): { at: string; printing: boolean } {
  const [state, setState] = useState(() => ({ at: new Date().toISOString(), printing: false }));
  const set = (printing: boolean) => flushSync(() => setState({ at: new Date().toISOString(), printing }));
  useWindowEvent('beforeprint', () => set(true));
  useWindowEvent('afterprint', () => set(false));
  return state;
}
