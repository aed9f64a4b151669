// Client: where the focus goes when what had it is no more: to the title of the page.
import { useEffect, useLayoutEffect, useRef } from 'react';

const toTitle = () => document.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true });

/** For a button whose own step takes it off the page: give it the ref, and call `leaving` when the step was taken. */
export function useTitleAfterLeaving() {
  const ref = useRef<HTMLButtonElement>(null);
  const left = useRef(false);
  useLayoutEffect(() => {
    const button = ref.current;
    return () => {
      const active = document.activeElement;
      const mine = active === button || active === document.body || active?.closest('[role=dialog]') != null;
      if (left.current && mine) setTimeout(toTitle);
    };
  }, []);
  return {
    ref,
    leaving: () => {
      left.current = true;
    },
  };
}

/** For a page that becomes another one in place. */
export function useTitleOnChange(value: unknown): void {
  const before = useRef(value);
  useEffect(() => {
    if (before.current !== value) toTitle();
    before.current = value;
  }, [value]);
}
