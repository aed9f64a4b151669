// Components: for how long the fault of a try is worth showing.
import { useState } from 'react';
import type { PorticoError } from '../graphql/portico-error.ts';
import { useReachable } from '../graphql/reachable.ts';

const UNSENT: readonly string[] = ['offline', 'unreachable'];

/** The error until what was sent is changed; that nothing could be sent, until the portal can be reached. */
export function useFaultAbout(error: PorticoError | null, about: unknown): PorticoError | null {
  const reachable = useReachable();
  const [first, setFirst] = useState({ error, about });
  if (first.error !== error) setFirst({ error, about });
  if (error === null) return null;
  // A key that was made stays made, whatever is filled in now.
  if (error.code === 'secret_lost') return error;
  return first.about !== about || (reachable && UNSENT.includes(error.code)) ? null : error;
}
