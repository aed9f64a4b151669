// Tools: makes the demonstration's keys and grants, and collects the pretended times of their events.
import { makeKeySecret } from '#auth/key-format.ts';
import type { Actor } from '#core/actor.ts';
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Environment } from '#core/principal.ts';
import { type Scope, type ScopeSet, scopesOf } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { grantWithoutRequest } from '#repositories/grants/grants.ts';
import { createKeyInTransaction } from '#repositories/keys/keys.ts';
import { daysBefore, type HistoryEvent } from './history-events.ts';
import { DEMO_FIRM, IMOGEN } from './load.ts';

export interface DemoKey {
  id: string;
  name: string;
  environment: Environment;
  scopes: Scope[];
  secret: string;
}

export interface DemoGrant {
  id: string;
  key_id: string;
  client_id: string;
  scopes: Scope[];
  filter: AssetFilter;
  /** RFC 3339; null until revoked. */
  expires_at: string | null;
}

export interface DemoAccess {
  keys: DemoKey[];
  grants: DemoGrant[];
  plant_token: string;
}

export const ACTOR: Actor = { kind: 'operator', id: 'demo' };
export const MEMBER: Actor = { kind: 'firm_member', id: IMOGEN };

export class DemoGrants {
  readonly keys: DemoKey[] = [];
  readonly grants: DemoGrant[] = [];
  /** In the order in which they were made. The times of one client's events are ascending. */
  readonly events: HistoryEvent[] = [];

  readonly sql: Sql;
  /** Unix milliseconds. */
  readonly now: number;

  constructor(sql: Sql, now: number) {
    this.sql = sql;
    this.now = now;
  }

  /** `day`: how many days ago. */
  happened(id: string, action: HistoryEvent['action'], day: number): void {
    this.events.push({ id, action, at: new Date(daysBefore(this.now, day)).toISOString() });
  }

  /** Makes a key that is not listed among the results. */
  async makeKey(name: string, environment: Environment, scopes: ScopeSet, day: number): Promise<DemoKey> {
    const secret = makeKeySecret(environment);
    const wanted = { firmId: DEMO_FIRM, name, environment, scopes, expiresAt: null, secret };
    const { id } = await createKeyInTransaction(this.sql, wanted, ACTOR);
    this.happened(id, 'create', day);
    return { id, name, environment, scopes: scopesOf(scopes), secret: secret.text };
  }

  async key(name: string, environment: Environment, scopes: ScopeSet, day: number): Promise<string> {
    const key = await this.makeKey(name, environment, scopes, day);
    this.keys.push(key);
    return key.id;
  }

  async grant(
    [keyId, clientId]: readonly [string, string],
    scopes: ScopeSet,
    filter: AssetFilter,
    day: number,
  ): Promise<string> {
    const { id } = await grantWithoutRequest(this.sql, { keyId, clientId, scopes, filter, expiresAt: null }, ACTOR);
    this.happened(id, 'grant', day);
    this.grants.push({ id, key_id: keyId, client_id: clientId, scopes: scopesOf(scopes), filter, expires_at: null });
    return id;
  }
}
