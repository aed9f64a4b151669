// Firm: an issued key in the hands of the page that asked for it, for as long as that page is there.
import { useEffect, useState } from 'react';

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
