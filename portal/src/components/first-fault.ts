// Components: the focus after a form cannot be sent, and the place of its refusal.
import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useState } from 'react';
import type { PorticoError } from '../graphql/portico-error.ts';

const FIELDS = ['input', 'textarea', 'select'].map((name) => `${name}:not(:disabled)`).join();

/**
 * Moves the focus to the first invalid field, of the dialog if one is open or else of the page, once errors are
 * rendered; to the message if its options are still loading. Calls `onNone` if there is none.
 */
export function toFirstFault(onNone?: () => void): void {
  setTimeout(() => {
    const container = document.querySelector('[role=dialog]') ?? document.querySelector('main');
    const fault = container?.querySelector('[data-fault], .mantine-InputWrapper-error');
    if (fault == null) return onNone?.();
    const part = fault.closest('.mantine-InputWrapper-root') ?? fault;
    const field = part.querySelector<HTMLElement>(FIELDS);
    if (field !== null) return field.focus();
    const message = container?.querySelector<HTMLElement>('.mantine-InputWrapper-error');
    message?.setAttribute('tabindex', '-1');
    message?.focus();
  });
}

/**
 * Shows a refusal at the form's field that it names. Returns whether it does, since not every field can show an error.
 */
export function useRefusalAtField<Values extends object>(
  { values, errors, setFieldError, clearFieldError }: UseFormReturnType<Values>,
  error: PorticoError | null,
): boolean {
  const [withoutField, setWithoutField] = useState<PorticoError | null>(null);
  // Parameters of the API are written with underscores.
  const field = (error?.param ?? '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const hasField = error !== null && error.status >= 400 && field in values;
  // biome-ignore lint/correctness/useExhaustiveDependencies: changing the field clears its refusal, so it runs once for each.
  useEffect(() => {
    if (hasField) setFieldError(field, error.message);
  }, [error]);
  const isSet = hasField && errors[field] === error.message;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal, after the form has taken it.
  useEffect(() => {
    if (!isSet) return;
    toFirstFault(() => {
      clearFieldError(field);
      setWithoutField(error);
    });
  }, [isSet, error]);
  return hasField && withoutField !== error;
}
