// Command line: `portico limits`.
import { makeToken } from '#auth/key-format.ts';
import type { Database } from '#database/database.ts';
import { allUsage, type KeyUsage, type Load } from '#gateway/operations/usage.ts';
import { createServiceToken, revokeServiceToken } from '#repositories/admission/tokens.ts';
import type { Config } from '#src/config.ts';
import { CommandFailure, type CommandHost, print } from '../host.ts';
import { isInteractive, showLive } from '../live-view.ts';
import { withDatabase } from '../session.ts';
import { registerShadow } from '../shadow-command.ts';
import { table } from '../table.ts';

export function registerLimits(host: CommandHost): void {
  const { program, config, json } = host;
  const limits = program
    .command('limits')
    .description(
      'live use per key, and of its firm where that has a limit, most used first; looking counts nothing. In a terminal until q or Ctrl-C',
    )
    .action(() =>
      withUsage(config(), async (read) => {
        if (!json() && isInteractive()) return showLive(async () => liveTable(await read()));
        const usage = await read();
        print(json(), usage.map(toJson), usageTable(usage));
      }),
    );
  registerShadow(limits, host);
  limits
    .command('peek <key>')
    .description('live use of one key, by its id')
    .action((id: string) =>
      withUsage(config(), async (read) => {
        const usage = (await read()).find(({ keyId }) => keyId === id);
        if (usage === undefined) throw new CommandFailure(`no key that can be used has the id ${id}`);
        print(json(), toJson(usage), usageTable([usage]));
      }),
    );
}

type ReadUsage = () => Promise<KeyUsage[]>;

/** What `read` needs stays open for as long as `work` reads. */
function withUsage(settings: Config, work: (read: ReadUsage) => Promise<void>): Promise<void> {
  return settings.redisUrl === undefined ? askGateway(settings, work) : askRedis(settings, settings.redisUrl, work);
}

async function askRedis(settings: Config, redisUrl: string, work: (read: ReadUsage) => Promise<void>): Promise<void> {
  // Here, not above: it brings the driver.
  const { createLimiter } = await import('#limits/create-limiter.ts');
  const limits = createLimiter({ redisUrl, redisCa: settings.redisCa, looks: true });
  try {
    await limits.ready;
    await withDatabase(settings, (database) =>
      work(async () => {
        if (limits.status() === 'local') throw new CommandFailure('Redis at REDIS_URL does not answer');
        return allUsage(database, limits.limiter);
      }),
    );
  } finally {
    limits.close();
  }
}

const TOKEN_LIFE_MS = 60_000;
const RENEW_MS = 20_000;
const QUERY =
  '{ limits { keyId firmId firmName name environment tier tierOverride shadow limit used remaining refused wouldRefuse near firm { limit used remaining refused near } } }';

/** Without Redis only the running gateway knows; it is asked like by any tool, with tokens that soon end. */
function askGateway(settings: Config, work: (read: ReadUsage) => Promise<void>): Promise<void> {
  return withDatabase(settings, async (database) => {
    let token: { id: string; text: string; until: number } | null = null;
    const revoke = async () => {
      if (token !== null) await revokeServiceToken(database, token.id);
      token = null;
    };
    const read = async () => {
      if (token !== null && token.until < Date.now() + RENEW_MS) await revoke();
      token ??= await briefToken(database);
      return askOnce(`http://${settings.host}:${settings.internalPort}/graphql`, token.text);
    };
    try {
      await work(read);
    } finally {
      await revoke();
    }
  });
}

async function briefToken(database: Database): Promise<{ id: string; text: string; until: number }> {
  const { text, hash } = makeToken('service');
  const until = Date.now() + TOKEN_LIFE_MS;
  const { id } = await createServiceToken(database, { role: 'ops', hash, expiresAt: new Date(until).toISOString() });
  return { id, text, until };
}

async function askOnce(address: string, token: string): Promise<KeyUsage[]> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  }).catch((cause: unknown) => {
    throw new CommandFailure(`no gateway answers at ${address}, and without REDIS_URL only it knows its limits`, {
      cause,
    });
  });
  const { data } = (await response.json()) as { data?: { limits: KeyUsage[] } };
  if (data === undefined) throw new CommandFailure(`the gateway at ${address} answered ${response.status}`);
  return data.limits;
}

/** With the time, and how much of each limit is in use. */
function liveTable(usage: KeyUsage[]): string {
  const near = usage.filter((use) => use.near).length;
  const time = new Date().toISOString().slice(11, 19);
  const headline = `${time} UTC   ${usage.length} key(s), ${near} near the limit   q ends`;
  const rows = usage.map((use) => [bar(use.used, use.limit), ...usageRow(use)]);
  return `${headline}\n\n${table(['used of the limit', ...HEADINGS], rows, 'No key can be used.')}`;
}

const BAR = 20;

function bar(used: number, limit: number): string {
  const filled = Math.min(BAR, Math.ceil((BAR * used) / Math.max(1, limit)));
  return `${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}`;
}

const toJson = ({ keyId, firmId, firmName, tierOverride, wouldRefuse, firm, ...usage }: KeyUsage) => ({
  key_id: keyId,
  firm_id: firmId,
  firm_name: firmName,
  ...usage,
  would_refuse: wouldRefuse,
  firm: firm && loadJson(firm),
  tier_override: tierOverride,
});

const loadJson = ({ limit, used, remaining, refused, near }: Load) => ({ limit, used, remaining, refused, near });

const HEADINGS = ['key', 'name', 'tier', 'limit', 'used', 'remaining', 'refused', 'in shadow mode', 'its firm'];

const usageRow = (use: KeyUsage): string[] => [
  ...[use.keyId, use.name, use.tier],
  ...[use.limit, use.used, use.remaining, use.refused].map(String),
  use.shadow === null ? '' : `by ${use.shadow}, ${use.wouldRefuse} let pass`,
  use.firm === null ? '' : `${use.firm.used} of ${use.firm.limit}`,
];

function usageTable(usage: KeyUsage[]): string {
  return table(HEADINGS, usage.map(usageRow), 'No key can be used.');
}
