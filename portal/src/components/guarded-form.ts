// Components: a form that is not lost: leaving it asks, signing in again brings it back, and it shows where it is at fault.
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type FormEvent, useEffect, useRef } from 'react';
import type { PorticoError } from '../graphql/portico-error.ts';
import { useDraftGuard, useKept } from '../session/drafts.ts';
import { useFaultAbout } from './fault-about.ts';
import { toFirstFault, useRefusalAtField } from './first-fault.ts';
import { isSame } from './same.ts';

/** `ask`: passwords and codes are never kept. `none`: nothing is lost that would be worth a question. */
type FormGuard = 'keep' | 'ask' | 'none';

/** What is wrong with a field, in a sentence; null where nothing is. */
type Rules<Values> = { [Name in keyof Values]?: (value: Values[Name], values: Values) => string | null };

interface FormOptions<Values> {
  /** Tells apart the forms of a page. */
  name: string;
  start: Values;
  validate: Rules<Values>;
  /** How the last try to send it ended. */
  refused: PorticoError | null;
  guard?: FormGuard;
}

interface GuardedForm<Values extends object> {
  form: UseFormReturnType<Values>;
  /** The refusal, where no field shows it and nothing was changed since. */
  fault: PorticoError | null;
  /** Ends the guard, before a step that leaves. */
  release: () => void;
  /** For a form's onSubmit; where the form is at fault, the focus goes to its first fault instead. */
  submit: (go: (values: Values) => void) => (event?: FormEvent<HTMLFormElement>) => void;
}

export function useGuardedForm<Values extends object>(options: FormOptions<Values>): GuardedForm<Values> {
  const { name, start, validate, refused, guard = 'keep' } = options;
  const form = useForm<Values>({ initialValues: useKept<Values>(name) ?? start, validate: validate as object });
  const { values } = form;
  const changed = guard !== 'none' && !isSame(values, start);
  const release = useDraftGuard({ name, values, changed, secret: guard === 'ask' });
  useFaultsGo(form, validate);
  const atField = useRefusalAtField(form, refused);
  const fault = useFaultAbout(atField ? null : refused, values);
  const submit: GuardedForm<Values>['submit'] = (go) => form.onSubmit(go, () => toFirstFault());
  return { form, fault, release, submit };
}

/** A field's fault goes when the field is changed; where another field was the cause, when that one is. */
function useFaultsGo<Values extends object>(form: UseFormReturnType<Values>, rules: Rules<Values>): void {
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
