// Entry: a page that opens from a link in a mail. The link is read, which does not use it, before the page shows more.
import { Anchor, Loader } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Failure } from '../../components/page/states.tsx';
import type { PorticoError } from '../../graphql/portico-error.ts';
import { EntryTitle } from './entry-title.tsx';

interface LinkPageProps<Body> {
  /** `link` or `invitation`. */
  kind: string;
  read: (token: string) => Promise<Body>;
  /** Shown if the link cannot be used any more. */
  noLink: ReactNode;
  /** Shown once the link has been used. */
  done: (body: Body) => ReactNode;
  children: (token: string, body: Body, onDone: () => void) => ReactNode;
}

export function LinkPage<Body>(props: LinkPageProps<Body>) {
  const token = useLinkToken();
  return token === '' ? <NoToken /> : <WithToken key={token} token={token} {...props} />;
}

/**
 * The token, which is removed from the address bar and the history. Empty after a reload, or if the link was not copied
 * completely. Follows a link that is pasted over the page.
 */
function useLinkToken(): string {
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

/** The token is nowhere but in the link itself. */
function NoToken() {
  return (
    <>
      <EntryTitle title="Open the link again">
        This page opens only from the link in the mail. Open that link once more, or copy it in full.
      </EntryTitle>
      <Anchor component={Link} href="/sign-in">
        Go to sign-in
      </Anchor>
    </>
  );
}

function WithToken<Body>({ token, kind, read, noLink, done, children }: LinkPageProps<Body> & { token: string }) {
  const [used, setUsed] = useState(false);
  const { data, error, refetch } = useQuery<Body, PorticoError>({
    queryKey: [kind, token],
    queryFn: () => read(token),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (data !== undefined) return used ? done(data) : children(token, data, () => setUsed(true));
  if (error === null) return <Loader role="status" aria-label={`Reading the ${kind}`} />;
  return error.code === 'invalid_link' ? noLink : <Failure error={error} retry={() => void refetch()} />;
}
