// Components: a form with protection against loss: it asks before it is left, is restored after signing in again, and
// shows errors at its fields.
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import type { PorticoError } from '../graphql/portico-error.ts';
import { useDraftGuard, useStoredDraft } from '../session/drafts.ts';
import { useFaultAbout } from './fault-about.ts';
import { toFirstFault, useRefusalAtField } from './first-fault.ts';
import { isSame } from './same.ts';

/** `ask`: not restored, since passwords and codes are never stored. `none`: not worth a question. */
type FormGuard = 'keep' | 'ask' | 'none';

/** The error of a field as a sentence; null if there is none. */
type Rules<Values> = { [Name in keyof Values]?: (value: Values[Name], values: Values) => string | null };

interface FormOptions<Values> {
  /** Distinguishes the forms of a page. */
  name: string;
  start: Values;
  validate: Rules<Values>;
  /** The refusal of the last attempt. */
  refused: PorticoError | null;
  guard?: FormGuard;
}

interface GuardedForm<Values extends object> {
  form: UseFormReturnType<Values>;
  /** Props of a component that edits a value that is not a text. */
  field: <Name extends keyof Values & string>(
    name: Name,
  ) => { value: Values[Name]; onChange: (value: Values[Name]) => void; error: ReactNode };
  /** The refusal, if no field shows it and nothing has changed since. */
  fault: PorticoError | null;
  /** Ends the guard, before an action that leaves the page. */
  release: () => void;
  /** For the form's onSubmit. Moves the focus to the first invalid field instead if there is one. */
  submit: (go: (values: Values) => void) => (event?: FormEvent<HTMLFormElement>) => void;
}

export function useGuardedForm<Values extends object>(options: FormOptions<Values>): GuardedForm<Values> {
  const { name, start, validate, refused, guard = 'keep' } = options;
  const form = useForm<Values>({ initialValues: useStoredDraft<Values>(name) ?? start, validate: validate as object });
  const { values } = form;
  const changed = guard !== 'none' && !isSame(values, start);
  const release = useDraftGuard({ name, values, changed, secret: guard === 'ask' });
  useClearedFaults(form, validate);
  const atField = useRefusalAtField(form, refused);
  const fault = useFaultAbout(atField ? null : refused, values);
  const submit: GuardedForm<Values>['submit'] = (go) => form.onSubmit(go, () => toFirstFault());
  const field: GuardedForm<Values>['field'] = (name) => ({
    value: values[name],
    onChange: (value) => form.setFieldValue(name, value as never),
    error: form.errors[name],
  });
  return { form, field, fault, release, submit };
}

/** Clears a field's error when the field changes, or another field that caused the error. */
function useClearedFaults<Values extends object>(form: UseFormReturnType<Values>, rules: Rules<Values>): void {
  const { values, errors, clearFieldError } = form;
  const previous = useRef(values);
  useEffect(() => {
    const before = previous.current;
    previous.current = values;
    if (before === values) return;
    for (const name of Object.keys(errors) as (keyof Values & string)[]) {
      const rule = rules[name];
      const caused = rule?.(before[name], before) === errors[name];
      if (caused && rule?.(values[name], values) === null) clearFieldError(name);
    }
  }, [values, errors, rules, clearFieldError]);
}
