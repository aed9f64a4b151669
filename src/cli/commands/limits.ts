// Command line: `portico limits`.
import type { KeyUsage, Load } from '#gateway/operations/usage.ts';
import { type CommandHost, notFound, print, snakeCased } from '../host.ts';
import { isInteractive, showLive } from '../live-view.ts';
import { registerShadow } from '../shadow-command.ts';
import { type Cell, table } from '../table.ts';
import { withUsage } from '../usage.ts';

export function registerLimits(host: CommandHost): void {
  const { program, config, json } = host;
  const limits = program
    .command('limits')
    .description(
      'live use per key, and per firm with a limit, most used first; does not count as a request. In a terminal until q or Ctrl-C',
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
        if (usage === undefined) throw notFound(`usable key ${id}`);
        print(json(), toJson(usage), usageTable([usage]));
      }),
    );
}

/** The table with the time and the number of limits that are nearly used up. */
function liveTable(usage: KeyUsage[]): string {
  const near = usage.filter((use) => use.near).length;
  const time = new Date().toISOString().slice(11, 19);
  const headline = `${time} UTC   ${usage.length} key(s), ${near} near the limit   q ends`;
  const rows = usage.map((use) => [bar(use.used, use.limit), ...usageRow(use)]);
  return `${headline}\n\n${table(['used of the limit', ...HEADINGS], rows, 'There are no usable keys.')}`;
}

const BAR = 20;

function bar(used: number, limit: number): string {
  const filled = Math.min(BAR, Math.ceil((BAR * used) / Math.max(1, limit)));
  return `${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}`;
}

const toJson = ({ firm, ...usage }: KeyUsage) => snakeCased({ ...usage, firm: firm && usageJson(firm) });

const usageJson = ({ limit, used, remaining, refused, near }: Load) => ({ limit, used, remaining, refused, near });

const HEADINGS = ['key', 'name', 'tier', 'limit', 'used', 'remaining', 'refused', 'in shadow mode', 'its firm'];

const usageRow = (use: KeyUsage): Cell[] => [
  ...[use.keyId, use.name, use.tier],
  ...[use.limit, use.used, use.remaining, use.refused],
  use.shadow === null ? '' : `by ${use.shadow}, ${use.wouldRefuse} let pass`,
  use.firm === null ? '' : `${use.firm.used} of ${use.firm.limit}`,
];

function usageTable(usage: KeyUsage[]): string {
  return table(HEADINGS, usage.map(usageRow), 'There are no usable keys.');
}
