// GraphQL client: actions in components.
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Operation } from './operation.ts';
import { PorticoError } from './portico-error.ts';
import { type Action, sendAction } from './send-action.ts';

export interface ActionOptions<Body, Variables> {
  lookUp: Action<Body, Variables>['lookUp'];
  /**
   * Not called for a cancelled action. An action with `onDone` or `done` is cancelled when its page is left, because the
   * result belongs to that page: it would lead the reader back, or nobody would see it.
   */
  onDone?: (body: Body) => void;
  /** The message afterwards. */
  done?: (body: Body) => ReactNode;
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

/**
 * The component that starts the action shows its error. Afterwards all cached results are stale: those on the page are
 * read again, the others when they are shown next.
 */
export function useAction<Body, Variables>(
  operation: Operation<Body, Variables>,
  { lookUp, onDone, done }: ActionOptions<Body, Variables>,
): ActionState & { start: (variables: Variables) => void } {
  const client = useQueryClient();
  const [lost, setLost] = useState(false);
  /** `page`: the address that the result belongs to, if any. */
  const running = useRef<{ controller: AbortController; page: string | null }>(null);
  /** `isPending` changes only when the page is drawn again, and a second click may come before. */
  const started = useRef(false);
  useEffect(
    () => () => {
      const { controller, page = null } = running.current ?? {};
      // A page that stays shows the result, even if this component is gone.
      if (page !== null && page !== location.href) controller?.abort();
    },
    [],
  );
  const send = async (variables: Variables): Promise<Body> => {
    const controller = new AbortController();
    running.current = { controller, page: onDone === undefined && done === undefined ? null : location.href };
    const cancelled = controller.signal;
    const onLost = () => setLost(!cancelled.aborted);
    const end = sendAction({ operation, variables, lookUp, cancelled, onLost });
    const report = () => void reportOutcome(end);
    cancelled.addEventListener('abort', report);
    try {
      const body = await end.finally(() => cancelled.removeEventListener('abort', report));
      if (!cancelled.aborted) {
        onDone?.(body);
        if (done !== undefined) notifications.show({ message: done(body) });
      }
      return body;
    } finally {
      if (!cancelled.aborted) setLost(false);
    }
  };
  const mutation = useMutation<Body, PorticoError, Variables>({
    mutationFn: send,
    // Pending until the page shows the result. An error is shown at once.
    onSuccess: () => client.invalidateQueries(),
    onError: () => void client.invalidateQueries(),
  });
  const start = (variables: Variables) => {
    if (started.current) return;
    started.current = true;
    const onSettled = () => {
      started.current = false;
    };
    // Not called if it was cancelled.
    mutation.mutate(variables, { onSettled });
  };
  const cancel = () => {
    started.current = false;
    if (mutation.isPending) running.current?.controller.abort();
    setLost(false);
    mutation.reset();
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
