// Firm: an issued key in the hands of the page that asked for it, for as long as that page is there.
import { useEffect, useState } from 'react';

import type { Guard } from '../../../session/leaving.ts';

export interface Issued {
  secret: string;
  key: { id: string; name: string };
}

/** The issued key until it is put away; a browser that keeps the page for Back keeps it without the secret. */
export function useIssued(): [Issued | null, (issued: Issued | null) => void] {
  const [issued, setIssued] = useState<Issued | null>(null);
  useEffect(() => {
    const forget = () => setIssued(null);
    window.addEventListener('pagehide', forget);
    return () => window.removeEventListener('pagehide', forget);
  }, []);
  return [issued, setIssued];
}

/** As long as nobody has said that the secret is kept. */
export const UNKEPT_SECRET: Guard = {
  title: 'Leave without the secret?',
  words:
    'It is shown this once and stored nowhere. Without it the key is of no use, and has to be rotated for another.',
  leave: 'Leave without it',
  irreplaceable: true,
};
