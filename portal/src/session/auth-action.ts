// Session: the state of a sign-in or account action: busy, refused, or done.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ErrorCode } from '#core/errors.ts';
import { actingAs } from '../graphql/acting-as.ts';
import { PorticoError } from '../graphql/portico-error.ts';
import { answerRefusal } from './refused.ts';

export interface AuthAction {
  busy: boolean;
  error: PorticoError | null;
  /** Runs the work. A refusal is kept for display, any other error is thrown. */
  run: (work: () => Promise<void>) => Promise<void>;
  setError: (error: PorticoError | null) => void;
}

/** `fields`: those of the form at which refusals with these codes are shown. */
export function useAuthAction(fields: Partial<Record<ErrorCode, string>> = {}): AuthAction {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<PorticoError | null>(null);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (cause) {
      if (!(cause instanceof PorticoError)) throw cause;
      const param = fields[cause.code as ErrorCode];
      setError(
        param === undefined
          ? cause
          : new PorticoError(cause.status, { code: cause.code, message: cause.message, param }),
      );
      // Before signing in there is no session that could have ended.
      if (actingAs() !== null) answerRefusal(client, cause.code);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run, setError };
}
