// Components: where the focus goes when a form cannot be sent, and where its refusal stands.
import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useState } from 'react';
import type { PorticoError } from '../graphql/portico-error.ts';

const FIELDS = ['input', 'textarea', 'select'].map((name) => `${name}:not(:disabled)`).join();

/**
 * Moves the focus to the first field that shows a fault, of the dialog or else of the page, once the faults are drawn;
 * `onNone` is called where none does.
 */
export function toFirstFault(onNone?: () => void): void {
  setTimeout(() => {
    const place = document.querySelector('[role=dialog]') ?? document.querySelector('main');
    const fault = place?.querySelector('[data-fault], .mantine-InputWrapper-error');
    const part = fault?.closest('.mantine-InputWrapper-root') ?? fault;
    part?.querySelector<HTMLElement>(FIELDS)?.focus();
    if (fault == null) onNone?.();
  });
}

/** Puts a refusal that names a field of the form to that field. Whether it does: not every field can show a fault. */
export function useRefusalAtField<Values extends object>(
  { values, setFieldError, clearFieldError }: UseFormReturnType<Values>,
  error: PorticoError | null,
): boolean {
  const [unshown, setUnshown] = useState<PorticoError | null>(null);
  // The API's parameters are written with underscores.
  const field = (error?.param ?? '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const known = error !== null && error.status >= 400 && field in values;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal once; the field's fault goes when it is changed.
  useEffect(() => {
    if (!known) return;
    setFieldError(field, error.message);
    toFirstFault(() => {
      clearFieldError(field);
      setUnshown(error);
    });
  }, [error]);
  return known && unshown !== error;
}
