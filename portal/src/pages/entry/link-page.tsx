// Entry: a page that opens from a link in a mail. The link is read, which does not use it, before the page shows more.
import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Failure } from '../../components/page/states.tsx';
import type { PorticoError } from '../../graphql/portico-error.ts';
import { useLinkToken } from './link-token.ts';
import { NoToken } from './no-token.tsx';

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
