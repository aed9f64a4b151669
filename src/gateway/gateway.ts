// Gateway: the interface for the facades: admission, limits, and the one way to execute.

import { LRUCache } from 'lru-cache';
import { bearerToken } from '#auth/bearer.ts';
import { readKeySecret, readToken } from '#auth/key-format.ts';
import { steadyClock } from '#core/clock.ts';
import type { Events } from '#core/events.ts';
import { batched } from '#database/batched-statement.ts';
import type { Admission } from '#repositories/admission/admission.ts';
import { findTokens, type Token } from '#repositories/admission/tokens.ts';
import { type KeyHashes, openKeyHashes } from '#repositories/keys/key-hashes.ts';
import type { Negotiator } from '#versions/negotiate.ts';
import { type FindAdmission, openAdmissions } from './admission/admission-cache.ts';
import type { Platform } from './execution/context.ts';
import type { Execute } from './execution/execute.ts';

const LIMITED_MS = 1_000;
const MAX_LIMITED = 10_000;

export interface Gateway extends Pick<Platform, 'limiter' | 'limiterState' | 'reference' | 'cursors'> {
  execute: Execute;
  negotiator: Negotiator;
  events: Events;
  /** Whether requests keep notes for traces. */
  traced: boolean;
  /** Whether responses report how long each stage took. */
  tellsTimes: boolean;
  /** The hash of the API key in this header; null for text in another format. Does not query the database. */
  readKey(authorization: string | undefined): Buffer | null;
  /** The present admission of this key and its grant from the client; null for an unknown key. */
  findAdmission: FindAdmission;
  /**
   * Admissions whose limit refused a request less than a second ago, by key and by key and client: their limit is
   * checked before the database. No request is served from these.
   */
  recentlyLimited: LRUCache<string, Admission>;
  /** Addresses whose limit for callers without a valid key refused a request less than a second ago. */
  limitedAddresses: LRUCache<string, true>;
  keyHashes: KeyHashes;
  /** The plant store's token in this header; null for an unknown one. */
  admitPlants(authorization: string | undefined): Promise<Pick<Token<'plant'>, 'id' | 'holder'> | null>;
}

export type GatewayParts = Pick<Gateway, 'execute' | 'negotiator' | 'events' | 'traced' | 'tellsTimes'> & {
  platform: Platform;
};

export function createGateway({ platform, ...parts }: GatewayParts): Gateway {
  const { database, limiter, limiterState, reference, cursors } = platform;
  const findToken = batched((hashes: readonly Buffer[]) => findTokens(database, 'plant', hashes));
  return {
    ...parts,
    ...{ limiter, limiterState, reference, cursors },
    readKey: (authorization) => readKeySecret(bearerToken(authorization) ?? '')?.hash ?? null,
    findAdmission: openAdmissions(database),
    recentlyLimited: new LRUCache({ max: MAX_LIMITED, ttl: LIMITED_MS, perf: steadyClock }),
    limitedAddresses: new LRUCache({ max: MAX_LIMITED, ttl: LIMITED_MS, perf: steadyClock }),
    keyHashes: openKeyHashes(database),
    async admitPlants(authorization) {
      const hash = readToken('plant', bearerToken(authorization) ?? '');
      return hash === null ? null : findToken(hash);
    },
  };
}
