// Command line: `portico doctor`.
import { ConfigurationError } from '#src/config.ts';
import type { Finding } from '../doctor/finding.ts';
import { CommandFailure, type CommandHost, print } from '../host.ts';
import { parseCount } from '../options.ts';

interface DoctorOptions {
  gateways: number;
  workers: number;
}

export function registerDoctor({ program, config, json }: CommandHost): void {
  program
    .command('doctor')
    .description('check everything that a gateway depends on, and say what to do; exit code 1 if something is wrong')
    .option('--gateways <n>', 'number of gateways planned', parseCount, 1)
    .option('--workers <n>', 'number of workers of each gateway', parseCount, 1)
    .action(async ({ gateways, workers }: DoctorOptions) => {
      const findings = await examineAll(config, gateways * workers);
      const count = findings.filter(({ state }) => state === 'wrong').length;
      print(json(), { healthy: count === 0, findings }, findings.map(describe).join('\n'));
      if (count > 0) throw new CommandFailure(`${count} check(s) failed`);
    });
}

async function examineAll(config: CommandHost['config'], processes: number): Promise<Finding[]> {
  try {
    const settings = config();
    // Imported here because it loads the drivers.
    const { examine } = await import('../doctor/examine.ts');
    return await examine(settings, { processes });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const advice = 'see: portico config --explain';
    return error.faults.map((found) => ({ check: 'configuration', state: 'wrong', found, advice }));
  }
}

const MARKS = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ' };

function describe({ check, state, found, advice }: Finding): string {
  const line = `${MARKS[state]}  ${check}: ${found}`;
  return advice === null ? line : `${line}\n         → ${advice}`;
}
