// Command line: `portico limits`.
import { makeToken } from '#auth/key-format.ts';
import { allUsage, type KeyUsage } from '#gateway/operations/usage.ts';
import { createLimiter } from '#limits/create-limiter.ts';
import { createServiceToken, revokeServiceToken } from '#repositories/admission/tokens.ts';
import type { Config } from '#src/config.ts';
import { CommandFailure, type CommandHost, print } from '../host.ts';
import { withDatabase } from '../session.ts';
import { table } from '../table.ts';

export function registerLimits({ program, config, json }: CommandHost): void {
  const limits = program
    .command('limits')
    .description('live use per key, most used first; looking counts nothing')
    .action(async () => {
      const usage = await readUsage(config());
      print(json(), usage.map(toJson), usageTable(usage));
    });
  limits
    .command('peek <key>')
    .description('live use of one key, by its id')
    .action(async (id: string) => {
      const usage = (await readUsage(config())).find(({ keyId }) => keyId === id);
      if (usage === undefined) throw new CommandFailure(`no key that can be used has the id ${id}`);
      print(json(), toJson(usage), usageTable([usage]));
    });
}

function readUsage(settings: Config): Promise<KeyUsage[]> {
  return settings.redisUrl === undefined ? askGateway(settings) : askRedis(settings, settings.redisUrl);
}

async function askRedis(settings: Config, redisUrl: string): Promise<KeyUsage[]> {
  const limits = createLimiter({ redisUrl, looks: true });
  try {
    await limits.ready;
    if (limits.status() === 'local') throw new CommandFailure('Redis at REDIS_URL does not answer');
    return await withDatabase(settings, (database) => allUsage(database, limits.limiter));
  } finally {
    limits.close();
  }
}

const TOKEN_LIFE_MS = 60_000;
const QUERY =
  '{ limits { keyId firmId firmName name environment tier tierOverride limit used remaining refused near } }';

/** Without Redis only the running gateway knows; it is asked like by any tool, with a token that soon ends. */
async function askGateway(settings: Config): Promise<KeyUsage[]> {
  const { text, hash } = makeToken('service');
  const expiresAt = new Date(Date.now() + TOKEN_LIFE_MS).toISOString();
  return withDatabase(settings, async (database) => {
    const token = await createServiceToken(database, { role: 'ops', hash, expiresAt });
    try {
      const address = `http://${settings.host}:${settings.internalPort}/graphql`;
      const response = await fetch(address, {
        method: 'POST',
        headers: { Authorization: `Bearer ${text}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: QUERY }),
      }).catch((cause: unknown) => {
        throw new CommandFailure(`no gateway answers at ${address}, and without REDIS_URL only it knows its limits`, {
          cause,
        });
      });
      const { data } = (await response.json()) as { data?: { limits: KeyUsage[] } };
      if (data === undefined) throw new CommandFailure(`the gateway at ${address} answered ${response.status}`);
      return data.limits;
    } finally {
      await revokeServiceToken(database, token.id);
    }
  });
}

const toJson = ({ keyId, firmId, firmName, tierOverride, ...usage }: KeyUsage) => ({
  key_id: keyId,
  firm_id: firmId,
  firm_name: firmName,
  ...usage,
  tier_override: tierOverride,
});

function usageTable(usage: KeyUsage[]): string {
  const rows = usage.map((use) => [
    use.keyId,
    use.name,
    use.tier,
    ...[use.limit, use.used, use.remaining, use.refused].map(String),
  ]);
  return table(['key', 'name', 'tier', 'limit', 'used', 'remaining', 'refused'], rows, 'No key can be used.');
}
