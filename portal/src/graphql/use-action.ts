// GraphQL client: actions in components.
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Operation } from './operation.ts';
import { PorticoError } from './portico-error.ts';
import { type Action, sendAction } from './send-action.ts';

interface ActionOptions<Body, Variables> {
  /** Operations whose results become stale by this action. */
  touches: readonly Operation<unknown, never>[];
  lookUp: Action<Body, Variables>['lookUp'];
  /** Not called for a cancelled action. */
  onDone?: (body: Body) => void;
}

/** The state of an action, for components that show it. */
export interface ActionState {
  /** Whether it was started and its result is not known yet. */
  isPending: boolean;
  /** Whether the response was lost, and the result is being looked up. */
  lost: boolean;
  error: PorticoError | null;
  /** Stops waiting for the response, and clears the error. */
  cancel: () => void;
}

/** The component that starts the action shows its error. */
export function useAction<Body, Variables>(
  operation: Operation<Body, Variables>,
  { touches, lookUp, onDone }: ActionOptions<Body, Variables>,
): ActionState & { start: (variables: Variables) => void } {
  const client = useQueryClient();
  const [lost, setLost] = useState(false);
  const running = useRef<AbortController | null>(null);
  const refresh = () => Promise.all(touches.map(({ name }) => client.invalidateQueries({ queryKey: [name] })));
  const send = async (variables: Variables): Promise<Body> => {
    const controller = new AbortController();
    running.current = controller;
    const cancelled = controller.signal;
    const onLost = () => setLost(!cancelled.aborted);
    const end = sendAction({ operation, variables, lookUp, cancelled, onLost });
    cancelled.addEventListener('abort', () => reportOutcome(end));
    try {
      const body = await end;
      if (!cancelled.aborted) onDone?.(body);
      return body;
    } finally {
      if (!cancelled.aborted) setLost(false);
      await refresh();
    }
  };
  const { mutate: start, reset, ...mutation } = useMutation<Body, PorticoError, Variables>({ mutationFn: send });
  const cancel = () => {
    if (mutation.isPending) running.current?.abort();
    setLost(false);
    reset();
  };
  return { start, cancel, lost, isPending: mutation.isPending, error: mutation.error };
}

/** Reports the result of an action that was cancelled after sending, possibly too late. */
async function reportOutcome(end: Promise<unknown>): Promise<void> {
  const loading = { loading: true, autoClose: false } as const;
  const id = notifications.show({ message: 'Cancelled. Checking whether it was already done…', ...loading });
  const message = await end.then(
    () => 'Too late to cancel: it was already done.',
    (error) =>
      error instanceof PorticoError && error.code !== 'not_done'
        ? error.message
        : 'Cancelled in time: nothing was done.',
  );
  notifications.update({ id, message, loading: false, autoClose: 6000 });
}
