// Components: moves the focus when its element disappears: to the title of the page or dialog, to the first filter, to
// the replacement, or to what opened it.
import { useDidUpdate } from '@mantine/hooks';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

const toTitle = () => document.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true });

/**
 * For a button, or several, that disappear after their action: attach the ref, and call `leaving` after the action. In a
 * dialog that stays open, the focus moves to the dialog.
 */
export function useTitleAfterLeaving<Target extends HTMLElement = HTMLButtonElement>() {
  const ref = useRef<Target>(null);
  const left = useRef(false);
  useLayoutEffect(() => {
    const own = ref.current;
    const dialog = own?.closest<HTMLElement>('[role=dialog]');
    return () => {
      const active = document.activeElement;
      const mine = own?.contains(active) || active === document.body || active?.closest('[role=dialog]') != null;
      if (left.current && mine) setTimeout(() => (dialog?.isConnected ? dialog.focus() : toTitle()));
    };
  }, []);
  return {
    ref,
    leaving: () => {
      left.current = true;
    },
  };
}

/**
 * For a dialog that is mounted open, or unmounted to close it, from which the library does not return the focus. It
 * returns to the element that had it before, or to the given one if that is an item of a menu, which is gone.
 */
export function useFocusBack(opened = true, to?: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    if (!opened) return;
    const opener = to?.current ?? document.activeElement;
    return () => {
      const last = document.activeElement;
      setTimeout(() => {
        const lost = document.activeElement === last || document.activeElement === document.body;
        if (lost && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
      });
    };
  }, [opened, to]);
}

/** For a button that clears the filters above it, or beside it, and disappears with that; they may disappear, too. */
export function toFirstFilter(button: HTMLElement): void {
  let place: HTMLElement | null = button;
  let filter: HTMLElement | null = null;
  while (place !== null && filter === null) {
    filter = place.querySelector('search :is(input, select)');
    place = place.parentElement;
  }
  setTimeout(() => (filter?.isConnected ? filter.focus() : toTitle()));
}

/** For a page that changes into another one in place. */
export function useTitleOnChange(value: unknown): void {
  useDidUpdate(toTitle, [value]);
}

/** Checked options come before unchecked ones. */
const FIELD = ['input:checked', 'input:not([type=radio])', 'select', 'textarea'].join();

/**
 * For a form that replaces the buttons that open it, and a form that is replaced by a question or by a list to read,
 * which has a `tabIndex`. `shown` names the one that is shown, or is null for the buttons, each of which has a
 * `data-opens`. Attach the ref to the element around all of them.
 */
export function useFocusInPlace(shown: string | null) {
  const place = useRef<HTMLElement>(null);
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    const opener = `[data-opens="${before.current}"]`;
    before.current = shown;
    const find = (selector: string) => place.current?.querySelector<HTMLElement>(selector);
    const target =
      shown === null ? (find(opener) ?? find('[data-opens]')) : (find(FIELD) ?? find('ul[tabindex]') ?? find('button'));
    target?.focus();
  }, [shown]);
  return (element: HTMLElement | null) => {
    place.current = element;
  };
}
