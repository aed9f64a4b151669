// Core: SHA-256 where it is needed for each request.
import { hash } from 'node:crypto';

/** The 32 bytes. Asked for a buffer itself, the library gives each hash memory of its own, at several times the hash's cost. */
export const sha256 = (data: string | Buffer): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'binary');
