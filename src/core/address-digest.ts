// Core: the name of an e-mail address where the address itself has no place: in limits and allowances.
import { hash } from 'node:crypto';

/** SHA-256 in base64url, the same however the address is written. Erasures find by it what is counted for a person. */
export const addressDigest = (email: string): string => hash('sha256', email.trim().toLowerCase(), 'base64url');
