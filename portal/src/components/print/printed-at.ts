// Components: the moment of printing, and what a page then shows more of than on a screen.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** `at` in RFC 3339; `printing` from the moment before the paper is laid out until it is. */
export function usePrintedAt(): { at: string; printing: boolean } {
  const [state, setState] = useState(() => ({ at: new Date().toISOString(), printing: false }));
  useEffect(() => {
    const set = (printing: boolean) => flushSync(() => setState({ at: new Date().toISOString(), printing }));
    const begin = () => set(true);
    const end = () => set(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return state;
}
