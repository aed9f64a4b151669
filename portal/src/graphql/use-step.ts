// GraphQL client: steps in components.
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Operation } from './operation.ts';
import { PorticoError } from './portico-error.ts';
import { type Step, takeStep } from './step.ts';

interface StepOptions<Body, Variables> {
  /** Operations whose answers this step makes stale. */
  touches: readonly Operation<unknown, never>[];
  ask: Step<Body, Variables>['ask'];
  /** Not called for a step that was cancelled. */
  onDone?: (body: Body) => void;
}

/** How a step is, for what shows it. */
export interface StepState {
  /** Taken, and not known yet how it ended. */
  isPending: boolean;
  /** Its answer is lost: what became of it is being read. */
  lost: boolean;
  error: PorticoError | null;
  /** Does not wait for the answer any more, and forgets the error. */
  cancel: () => void;
}

/** Its error is shown where it was taken. */
export function useStep<Body, Variables>(
  operation: Operation<Body, Variables>,
  { touches, ask, onDone }: StepOptions<Body, Variables>,
): StepState & { take: (variables: Variables) => void } {
  const client = useQueryClient();
  const [lost, setLost] = useState(false);
  const running = useRef<AbortController | null>(null);
  const refresh = () => Promise.all(touches.map(({ name }) => client.invalidateQueries({ queryKey: [name] })));
  const run = async (variables: Variables): Promise<Body> => {
    const controller = new AbortController();
    running.current = controller;
    const cancelled = controller.signal;
    const onLost = () => setLost(!cancelled.aborted);
    const end = takeStep({ operation, variables, ask, cancelled, onLost });
    cancelled.addEventListener('abort', () => tellOutcome(end));
    try {
      const body = await end;
      if (!cancelled.aborted) onDone?.(body);
      return body;
    } finally {
      if (!cancelled.aborted) setLost(false);
      await refresh();
    }
  };
  const { mutate: take, reset, ...mutation } = useMutation<Body, PorticoError, Variables>({ mutationFn: run });
  const cancel = () => {
    if (mutation.isPending) running.current?.abort();
    setLost(false);
    reset();
  };
  return { take, cancel, lost, isPending: mutation.isPending, error: mutation.error };
}

/** Of a step that was cancelled when it had been sent: it may have been too late. */
async function tellOutcome(end: Promise<unknown>): Promise<void> {
  const loading = { loading: true, autoClose: false } as const;
  const id = notifications.show({ message: 'Cancelled. Finding out whether it was done before…', ...loading });
  const message = await end.then(
    () => 'It was too late to cancel: it was done.',
    (error) =>
      error instanceof PorticoError && error.code !== 'not_done'
        ? error.message
        : 'Cancelled in time: nothing was done.',
  );
  notifications.update({ id, message, loading: false, autoClose: 6000 });
}
