// Core: SHA-256 for use in every request.
import { hash } from 'node:crypto';

/**
 * The digest, 32 bytes. By way of a binary string, because `hash` allocates separately for each Buffer that it returns,
 * at several times the cost of the hash.
 */
export const sha256 = (data: string | Buffer): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'binary');
