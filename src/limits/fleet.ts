// Limits: the gateways that share limits, and where in Redis they say that they are there.
import { hash } from 'node:crypto';

/** Gateways of one database share its keys' limits. `cursorKey` is that database's. */
export function fleetOf(cursorKey: Buffer): string {
  return hash('sha256', cursorKey, 'base64url').slice(0, 16);
}

export const registryKey = (fleet: string): string => `portico:gateways:{${fleet}}`;
