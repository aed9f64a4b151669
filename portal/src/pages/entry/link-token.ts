// Entry: the token of a link that came by mail. It leaves the address bar, and the history with it.
import { useEffect, useState } from 'react';

/** Empty where the link was not copied in full. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (location.hash !== '') history.replaceState(null, '', location.pathname);
  }, []);
  return token;
}
