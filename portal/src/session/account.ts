// Session: the account, and the identities as which it may act.
import { useQuery } from '@tanstack/react-query';
import type { PorticoError } from '../graphql/portico-error.ts';
import { authCall } from './auth-call.ts';
import type { Passkey } from './passkeys.ts';
import type { Role } from './viewer.ts';

export interface Identity {
  user_id: string;
  name: string;
  role: Role;
  firm: { id: string; name: string } | null;
  environment: string | null;
}

export interface Account {
  email: string;
  name: string;
  second_factor: boolean;
  /** Whether a second factor is required, and the session began without one. */
  second_factor_missing: boolean;
  passkeys: Passkey[];
  has_password: boolean;
  /** Id of the provider through which this session began; null for a password or passkey. */
  provider: string | null;
  /** User id. */
  acting_as: string;
  identities: Identity[];
}

export const ACCOUNT = ['account'] as const;

export const useAccount = () =>
  useQuery<Account, PorticoError>({ queryKey: ACCOUNT, queryFn: () => authCall<Account>('/me') });
