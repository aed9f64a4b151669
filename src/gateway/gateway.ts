// Gateway room: what the facades are handed: who may come in, how often, and the one way to execute.

import { bearerToken } from '#auth/bearer.ts';
import { readKeySecret, readToken } from '#auth/key-format.ts';
import type { Clock } from '#core/clock.ts';
import type { Cursors } from '#core/cursor.ts';
import type { Events } from '#core/events.ts';
import { isId } from '#core/ids.ts';
import { type Admission, readAdmission } from '#data/repositories/admission.ts';
import { findPlantAccount } from '#data/repositories/plants.ts';
import type { Limiter } from '#limits/limiter.ts';
import type { Negotiator } from '#versions/negotiate.ts';
import type { Platform } from './context.ts';
import type { Execute } from './execute.ts';
import type { ReferenceData } from './reference.ts';

export interface Gateway {
  execute: Execute;
  limiter: Limiter;
  negotiator: Negotiator;
  reference: ReferenceData;
  cursors: Cursors;
  events: Events;
  clock: Clock;
  /** What the database says of the key in this header, and of its grant from the client; null for no such key. */
  admit(authorization: string | undefined, clientId: string | null, withHorizon: boolean): Promise<Admission | null>;
  /** The plant store account of the token in this header; null for no such token. */
  admitPlants(authorization: string | undefined): Promise<{ tokenId: string; accountId: string } | null>;
}

export type GatewayParts = Pick<Gateway, 'execute' | 'negotiator' | 'events' | 'clock'> & {
  platform: Platform;
};

export function createGateway({ platform, ...parts }: GatewayParts): Gateway {
  return {
    ...parts,
    limiter: platform.limiter,
    reference: platform.reference,
    cursors: platform.cursors,
    async admit(authorization, clientId, withHorizon) {
      const secret = readKeySecret(bearerToken(authorization) ?? '');
      if (secret === null) return null;
      const client = clientId !== null && isId('user', clientId) ? clientId : null;
      return readAdmission(platform.database, secret.hash, client, withHorizon);
    },
    async admitPlants(authorization) {
      const hash = readToken('plant', bearerToken(authorization) ?? '');
      return hash === null ? null : findPlantAccount(platform.database, hash);
    },
  };
}
