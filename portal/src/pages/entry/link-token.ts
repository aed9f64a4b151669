// Entry: the token of a link from a mail, which is removed from the address bar and the history.
import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';

/** Empty after a reload, or if the link was not copied completely. Follows a link that is pasted over the page. */
export function useLinkToken(): string {
  const [token, setToken] = useState(() => location.hash.slice(1));
  const take = () => {
    if (location.hash === '') return;
    setToken(location.hash.slice(1));
    history.replaceState(null, '', location.pathname);
  };
  useEffect(take, []);
  useWindowEvent('hashchange', take);
  return token;
}
