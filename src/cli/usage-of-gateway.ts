// Command line: limits in use, from the running gateway if there is no Redis.
import { makeToken } from '#auth/key-format.ts';
import type { Database } from '#database/database.ts';
import type { KeyUsage } from '#gateway/operations/usage.ts';
import { createToken, deleteServiceToken } from '#repositories/admission/tokens.ts';
import type { Config } from '#src/config.ts';
import { CommandFailure } from './host.ts';
import { localUrlOf } from './listener-url.ts';
import { withDatabase } from './session.ts';

export type ReadUsage = () => Promise<KeyUsage[]>;

const TOKEN_LIFE_MS = 60_000;
const RENEW_MS = 20_000;
const QUERY =
  '{ limits { keyId firmId firmName name environment tier tierOverride tierOverrideEndsAt shadow limit used remaining refused wouldRefuse near firm { limit used remaining refused near } } }';

/** Without Redis only the running gateway knows. It is queried like by any tool, with short-lived tokens. */
export function readFromGateway(settings: Config, work: (read: ReadUsage) => Promise<void>): Promise<void> {
  return withDatabase(settings, async (database) => {
    let token: Awaited<ReturnType<typeof briefToken>> | null = null;
    const end = async () => {
      if (token !== null) await deleteServiceToken(database, token.id);
      token = null;
    };
    const read = async () => {
      if (token !== null && token.until < Date.now() + RENEW_MS) await end();
      token ??= await briefToken(database);
      return requestUsage(`${localUrlOf(settings.host, settings.internalPort)}/graphql`, token.text);
    };
    try {
      await work(read);
    } finally {
      await end();
    }
  });
}

async function briefToken(database: Database) {
  const { text, hash } = makeToken('service');
  const until = Date.now() + TOKEN_LIFE_MS;
  const { id } = await createToken(database, 'service', {
    holder: 'ops',
    hash,
    expiresAt: new Date(until).toISOString(),
  });
  return { id, text, until };
}

async function requestUsage(address: string, token: string): Promise<KeyUsage[]> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  }).catch((cause: unknown) => {
    throw new CommandFailure(`no gateway answers at ${address}, and without REDIS_URL only it knows its limits`, {
      cause,
    });
  });
  const answer: unknown = await response.json().catch(() => null);
  const { data } = (answer ?? {}) as { data?: { limits: KeyUsage[] } | null };
  if (data == null)
    throw new CommandFailure(
      `what answers at ${address} with ${response.status} reports no limits; check that it is this deployment's gateway`,
    );
  return data.limits;
}
