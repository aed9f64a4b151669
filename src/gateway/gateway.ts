// Gateway: what the facades are handed: who may come in, how often, and the one way to execute.

import { LRUCache } from 'lru-cache';
import { bearerToken } from '#auth/bearer.ts';
import { readKeySecret, readToken } from '#auth/key-format.ts';
import type { Clock } from '#core/clock.ts';
import type { Cursors } from '#core/cursor.ts';
import type { Events } from '#core/events.ts';
import { batched } from '#database/batched-statement.ts';
import type { Limiter } from '#limits/limiter.ts';
import type { Admission } from '#repositories/admission/admission.ts';
import { type KeyHashes, openKeyHashes } from '#repositories/keys/key-hashes.ts';
import { findPlantAccounts, type PlantAccount } from '#repositories/plants.ts';
import type { Negotiator } from '#versions/negotiate.ts';
import { type Admit, openAdmissions } from './admission/admission-cache.ts';
import type { Platform } from './execution/context.ts';
import type { Execute } from './execution/execute.ts';
import type { ReferenceData } from './reference.ts';

const LIMITED_MS = 1_000;
const MAX_LIMITED = 10_000;

export interface Gateway {
  execute: Execute;
  limiter: Limiter;
  negotiator: Negotiator;
  reference: ReferenceData;
  cursors: Cursors;
  events: Events;
  clock: Clock;
  /** Whether requests keep what they did when, for traces. */
  traced: boolean;
  /** Whether answers say how long each stage took. */
  tellsTimes: boolean;
  limiterState: Platform['limiterState'];
  /** The hash of the API key in this header; null where it cannot be one of ours, without asking the database. */
  readKey(authorization: string | undefined): Buffer | null;
  /** What the database says now of this key and of its grant from the client; null for no such key. */
  admit: Admit;
  /**
   * Admissions that the limit refused less than a second ago, by key and by key and client: their limit is asked before the
   * database is. Nothing is served from here.
   */
  recentlyLimited: LRUCache<string, Admission>;
  /** Addresses that the limit of callers without a valid key refused less than a second ago. */
  limitedAddresses: LRUCache<string, true>;
  keyHashes: KeyHashes;
  /** The plant store account of the token in this header; null for no such token. */
  admitPlants(authorization: string | undefined): Promise<PlantAccount | null>;
}

export type GatewayParts = Pick<Gateway, 'execute' | 'negotiator' | 'events' | 'clock' | 'traced' | 'tellsTimes'> & {
  platform: Platform;
};

export function createGateway({ platform, ...parts }: GatewayParts): Gateway {
  const findPlantAccount = batched((hashes: readonly Buffer[]) => findPlantAccounts(platform.database, hashes));
  return {
    ...parts,
    limiter: platform.limiter,
    limiterState: platform.limiterState,
    reference: platform.reference,
    cursors: platform.cursors,
    readKey: (authorization) => readKeySecret(bearerToken(authorization) ?? '')?.hash ?? null,
    admit: openAdmissions(platform.database),
    recentlyLimited: new LRUCache({ max: MAX_LIMITED, ttl: LIMITED_MS }),
    limitedAddresses: new LRUCache({ max: MAX_LIMITED, ttl: LIMITED_MS }),
    keyHashes: openKeyHashes(platform.database),
    async admitPlants(authorization) {
      const hash = readToken('plant', bearerToken(authorization) ?? '');
      return hash === null ? null : findPlantAccount(hash);
    },
  };
}
