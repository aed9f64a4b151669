// Limits: the gateways that share limits, and the Redis key of their registry.
import { hash } from 'node:crypto';

/** Gateways of one database share the limits of its keys. `cursorKey` is the database's. */
export function fleetOf(cursorKey: Buffer): string {
  return hash('sha256', cursorKey, 'base64url').slice(0, 16);
}

/**
 * Part of the name of every key in Redis, so that gateways of two releases never read each other's data. Raise it with
 * every change of the stored format. While both releases run, each counts for itself.
 */
export const FORMAT = 6;

export const registryKey = (fleet: string): string => `portico:${FORMAT}:gateways:${registryPlace(fleet)}`;

/** A Cluster stores all keys with these braces in one hash slot. */
export const registryPlace = (fleet: string): string => `{${fleet}}`;
