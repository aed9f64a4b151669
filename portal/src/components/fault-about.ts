// Components: how long the error of an attempt is shown.
import { useState } from 'react';
import type { PorticoError } from '../graphql/portico-error.ts';
import { useReachable } from '../graphql/reachable.ts';

const UNSENT: readonly string[] = ['offline', 'unreachable'];

/**
 * The error, until the input is changed. An error because nothing could be sent is hidden once the portal is reachable.
 */
export function useFaultAbout(error: PorticoError | null, about: unknown): PorticoError | null {
  const reachable = useReachable();
  const [first, setFirst] = useState({ error, about });
  if (first.error !== error) setFirst({ error, about });
  if (error === null) return null;
  // The key exists, whatever the input is now.
  if (error.code === 'secret_lost') return error;
  return first.about !== about || (reachable && UNSENT.includes(error.code)) ? null : error;
}
