// GraphQL client: what is kept of answers, for how long, and who learns of refusals.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isTransient, type PortalErrorCode, PorticoError } from './portico-error.ts';

/** Nothing outlives the tab; `onRefused` is told of every call that was refused, with its code. */
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
        // Offline, reading fails at once: the library would wait, and show what it has as if it were the answer.
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (failures, error) => failures < 2 && isTransient(error) && isWorthATry(error as PorticoError),
      },
      // The answer of a mutation may be a secret: it is dropped as soon as nothing shows it. Offline, the library
      // would keep a mutation and send it when the network is back, whatever its page has become.
      mutations: { gcTime: 0, retry: false, networkMode: 'always' },
    },
  });
}

const isWorthATry = ({ code, status }: PorticoError): boolean => code !== 'offline' && status !== 429;
