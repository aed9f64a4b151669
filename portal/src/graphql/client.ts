// GraphQL client: caching of responses, and the listener for refusals.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isTransient, type PortalErrorCode, PorticoError } from './portico-error.ts';

/** The cache lives as long as the tab. `onRefused` is called with the code of every refusal. */
export function createQueryClient(onRefused: (code: PortalErrorCode) => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof PorticoError) onRefused(error.code);
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 5 * 60_000,
        // Offline, reads fail at once. By default the library would wait, and show cached data as if they were current.
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (failures, error) => failures < 2 && isTransient(error) && isRetryable(error as PorticoError),
      },
      // The result of a mutation may be a secret: it is dropped once it is no longer shown. By default the library
      // would keep a mutation made offline, and send it when the network is back, regardless of its page.
      mutations: { gcTime: 0, retry: false, networkMode: 'always' },
    },
  });
}

/** A read without a response has already taken long. */
const isRetryable = ({ code, status }: PorticoError): boolean =>
  code !== 'offline' && code !== 'no_response' && status !== 429;
