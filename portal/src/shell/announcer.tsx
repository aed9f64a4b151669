// Shell: the one live region, which says aloud what otherwise only the eye sees.
import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';

type Listener = (text: string) => void;
let listener: Listener | null = null;

/** Says the text to screen readers, after what they are reading. */
export function announce(text: string): void {
  listener?.(text);
}

export function Announcer() {
  const [said, setSaid] = useState({ text: '', turn: 0 });
  useEffect(() => {
    listener = (text) => setSaid(({ turn }) => ({ text, turn: turn + 1 }));
    return () => {
      listener = null;
    };
  }, []);
  return (
    <VisuallyHidden component="div" role="status" aria-live="polite">
      {/* A new element each time: the same text twice is said twice. */}
      <span key={said.turn}>{said.text}</span>
    </VisuallyHidden>
  );
}
