// Shell: the live region, which announces to screen readers what others see.
import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';

type Listener = (text: string) => void;
let listener: Listener | null = null;

/** Announces the text to screen readers, after their present text. */
export function announce(text: string): void {
  listener?.(text);
}

export function Announcer() {
  const [message, setMessage] = useState({ text: '', turn: 0 });
  useEffect(() => {
    listener = (text) => setMessage(({ turn }) => ({ text, turn: turn + 1 }));
    return () => {
      listener = null;
    };
  }, []);
  return (
    <VisuallyHidden component="div" role="status" aria-live="polite">
      {/* A new element each time, so that a repeated text is announced again. */}
      <span key={message.turn}>{message.text}</span>
    </VisuallyHidden>
  );
}
