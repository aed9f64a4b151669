// Session: the available sign-in methods.
import { useQuery } from '@tanstack/react-query';
import type { PorticoError } from '../graphql/portico-error.ts';
import { authCall } from './auth-call.ts';

interface Offers {
  providers: { id: string; label: string }[];
  /** Whether mail can be sent. */
  mail: boolean;
}

export const useOffers = () =>
  useQuery<Offers, PorticoError>({
    queryKey: ['offers'],
    queryFn: () => authCall<Offers>('/options'),
    staleTime: Number.POSITIVE_INFINITY,
  });
