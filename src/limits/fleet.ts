// Limits: the gateways that share limits, and where in Redis they say that they are there.
import { hash } from 'node:crypto';

/** Gateways of one database share its keys' limits. `cursorKey` is that database's. */
export function fleetOf(cursorKey: Buffer): string {
  return hash('sha256', cursorKey, 'base64url').slice(0, 16);
}

/**
 * Part of the name of whatever gateways keep in Redis, so that those of two releases never read what the other writes. It is
 * raised with every change of what is stored; meanwhile each release counts for itself.
 */
export const FORMAT = 6;

export const registryKey = (fleet: string): string => `portico:${FORMAT}:gateways:${registryPlace(fleet)}`;

/** A Cluster keeps everything with these braces in one place. */
export const registryPlace = (fleet: string): string => `{${fleet}}`;
