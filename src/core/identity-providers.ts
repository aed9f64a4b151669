// Core: the OpenID Connect providers for firms' members, as configured.
import { isId } from './ids.ts';

export interface IdentityProvider {
  /** Part of the redirect URI: `/portal/auth/callback/ID`. */
  id: string;
  /** Text of the button on the sign-in page. */
  label: string;
  /** Without `/.well-known/openid-configuration`. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  firmId: string;
  /** The firm's members can sign in only this way, and have no passwords. */
  only: boolean;
}

export const discoveryUrl = ({ issuer }: IdentityProvider): string => `${issuer}/.well-known/openid-configuration`;

const ID = /^[a-z][a-z0-9-]{1,39}$/;
const NEEDED = ['id', 'label', 'issuer', 'client_id', 'client_secret', 'firm_id'] as const;
const MEMBERS: readonly string[] = [...NEEDED, 'only'];
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Reads the JSON list. For an invalid list, returns a text that says what is wrong, without any of its values. */
export function readIdentityProviders(text: string): IdentityProvider[] | string {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (!Array.isArray(list)) return `not a list of {${MEMBERS.join(', ')}}`;
  const providers: IdentityProvider[] = [];
  for (const [index, entry] of list.entries()) {
    const provider = readProvider(entry);
    if (typeof provider === 'string') return `entry ${index + 1}: ${provider}`;
    if (providers.some(({ id }) => id === provider.id)) return `entry ${index + 1}: an earlier entry has the same id`;
    providers.push(provider);
  }
  return providers;
}

function readProvider(entry: unknown): IdentityProvider | string {
  if (typeof entry !== 'object' || entry === null) return 'not an object';
  const given = entry as Record<string, unknown>;
  const unknown = Object.keys(given).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `a member that is not one of ${MEMBERS.join(', ')}`;
  const missing = NEEDED.find((name) => typeof given[name] !== 'string' || given[name] === '');
  if (missing !== undefined) return `${missing} is missing or not text`;
  const { only = false } = given;
  const { id, label, issuer, client_id, client_secret, firm_id } = given as Record<(typeof NEEDED)[number], string>;
  if (!ID.test(id) || id === 'credential') return 'id is not a short name of a-z, 0-9 and -';
  if (!isIssuer(issuer)) return 'issuer is not an https:// URL without query';
  if (!isId('firm', firm_id)) return 'firm_id is not the id of a firm';
  if (typeof only !== 'boolean') return 'only is neither true nor false';
  const issuerUrl = issuer.replace(/\/$/, '');
  return { id, label, issuer: issuerUrl, clientId: client_id, clientSecret: client_secret, firmId: firm_id, only };
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname));
}
