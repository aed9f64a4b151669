// Session: one step of signing in, or of the account, under way: busy, refused, or done.
import { useState } from 'react';
import { PorticoError } from '../graphql/portico-error.ts';

export interface AuthStep {
  busy: boolean;
  error: PorticoError | null;
  /** Does the work; a refusal is kept for showing, anything else is thrown. */
  run: (work: () => Promise<void>) => Promise<void>;
  setError: (error: PorticoError | null) => void;
}

export function useAuthStep(): AuthStep {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<PorticoError | null>(null);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (cause) {
      if (!(cause instanceof PorticoError)) throw cause;
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run, setError };
}
