// Components: where the focus goes when what had it is no more: to the title of the page, or to what came in its place.
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

/** What is chosen comes before what could be. */
const FIELD = ['input:checked', 'input:not([type=radio])', 'select', 'textarea'].join();

/**
 * For a form that opens in place of the buttons that open it, and a form that becomes a question: `shown` says which of
 * them is there, null for the buttons, each of which has a `data-opens`. Put the ref around all of them.
 */
export function useFocusInPlace(shown: string | null) {
  const place = useRef<HTMLElement>(null);
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    const opener = `[data-opens="${before.current}"]`;
    before.current = shown;
    const find = (selector: string) => place.current?.querySelector<HTMLElement>(selector);
    const target = shown === null ? find(opener) : (find(FIELD) ?? find('button'));
    target?.focus();
  }, [shown]);
  return (element: HTMLElement | null) => {
    place.current = element;
  };
}
