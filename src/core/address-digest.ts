// Core: a digest that stands for an e-mail address in limits and allowances, which must not store the address.
import { hash } from 'node:crypto';

/** SHA-256 in base64url of the trimmed address in lower case. Erasures use it to find a person's counters. */
export const addressDigest = (email: string): string => hash('sha256', email.trim().toLowerCase(), 'base64url');
