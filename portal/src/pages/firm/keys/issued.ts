// Firm: an issued key, held in the state of the page that requested it.
import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import type { CreateKeyMutation } from '../../../generated/operations.ts';
import type { Guard } from '../../../session/leaving.ts';

export type Issued = CreateKeyMutation['body'];

/** The issued key until it is dismissed. It is also dropped when the browser caches the page for Back. */
export function useIssued(): [Issued | null, (issued: Issued | null) => void] {
  const [issued, setIssued] = useState<Issued | null>(null);
  useWindowEvent('pagehide', () => setIssued(null));
  return [issued, setIssued];
}

/** The guard until somebody confirms that the secret is stored. */
export const UNSAVED_SECRET: Guard = {
  title: 'Leave without the secret?',
  text: 'It is shown only now and not stored. Without it the key cannot be used, and has to be rotated.',
  leave: 'Leave without it',
  irreplaceable: true,
};
