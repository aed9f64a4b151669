// Entry: the token of a link from a mail, which is removed from the address bar and the history.
import { useEffect, useState } from 'react';

/** Empty if the link was not copied completely. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (location.hash !== '') history.replaceState(null, '', location.pathname);
  }, []);
  return token;
}
