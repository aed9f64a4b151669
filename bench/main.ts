// Bench: one run from the command line to the tables.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparisonsTable } from './comparisons.ts';
import { type Contestant, PRODUCT } from './contestants.ts';
import { type DataSet, loadData, migrateData } from './data.ts';
import { Generator } from './generator.ts';
import { measureGrowth } from './growth.ts';
import { installDirectus, installPeers } from './install.ts';
import { type Bench, measure, prepareCells } from './measure.ts';
import { watchMemory } from './memory.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { type Running, startContestant } from './processes.ts';
import { note } from './progress.ts';
import { measureRecord } from './record.ts';
import { commitOf, generatorNote, legend, resultsTable } from './report.ts';
import { measureResponsiveness } from './responsiveness.ts';
import { resultsOf } from './results.ts';
import { type Section, writeSection } from './results-file.ts';
import { pin, SERVERS_CORE, startCollector, startPostgres, startRedis } from './servers.ts';

async function run(options: Options): Promise<void> {
  if (options.responsiveness) publish('Responsiveness', await measureResponsiveness());
  if (options.record) publish('Record', await measureRecord());
  if (options.table || options.growth || options.memory) await measureGateways(options);
  note('done');
}

async function measureGateways(options: Options): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const closing = <Opened extends { stop(): unknown }>(opened: Opened): Opened => {
    stack.defer(async () => void (await opened.stop()));
    return opened;
  };
  if (options.installDirectus) await installDirectus();
  const postgres = closing(await startPostgres(options.keepData));
  const redis = closing(await startRedis());
  // Before any contestant starts, because children inherit it.
  for (const pid of [postgres.pid, redis.pid, process.pid]) pin(pid, SERVERS_CORE);
  await migrateData(postgres.url);

  const collector = closing(await startCollector());
  pin(collector.pid, SERVERS_CORE);
  const services = { databaseUrl: postgres.url, redisUrl: redis.url, collectorUrl: collector.url };
  const start = async (contestant: Contestant) => closing(await startContestant(contestant, services));
  // Loading takes the servers' core and starting the gateway's, so neither waits for the other.
  const [data, running] = await Promise.all([
    dataFor(options, postgres),
    installPeers().then(() => startAll(options.contestants, start)),
  ]);
  const bench: Bench = { data, postgres, redis, generator: closing(new Generator(postgres.url)), running };

  if (options.table) await measureContestants(bench, options);
  if (options.growth) publish('Growth', await measureGrowth(bench));
  if (options.memory) {
    // A process that has served nothing yet.
    const fresh = await startAll(
      options.contestants.filter(({ name }) => name === PRODUCT),
      start,
    );
    publish('Memory', await watchMemory({ ...bench, running: fresh }));
  }
}

async function measureContestants(bench: Bench, options: Options): Promise<void> {
  note('comparing answers');
  const cells = await prepareCells(bench, options.works, options.concurrencies);
  const measured = await measure(bench, cells, options.pace);
  const results = resultsOf(measured);
  const texts = [resultsTable(results), comparisonsTable(results, options.callers), generatorNote(measured)];
  const text = texts.filter((each) => each !== null).join('\n\n');
  if (options.whole) writeSection('Contestants', `${legend(options)}\n\n${text}`);
  console.log(text);
  if (options.out !== undefined) {
    const report = { commit: commitOf(), rounds: options.pace.rounds, results };
    writeFileSync(options.out, `${JSON.stringify(report, null, 2)}\n`);
  }
}

function publish(section: Section, text: string): void {
  writeSection(section, text);
  console.log(`\n${text}`);
}

/** Starts those that can run here, one after the other. */
async function startAll(
  contestants: readonly Contestant[],
  start: (contestant: Contestant) => Promise<Running>,
): Promise<Running[]> {
  note('starting the contestants');
  const running: Running[] = [];
  for (const contestant of contestants) {
    const reason = contestant.absent?.() ?? null;
    if (reason === null) running.push(await start(contestant));
    else note(`${contestant.name}: ${reason}`);
  }
  return running;
}

async function dataFor(
  { keepData, large }: Options,
  { url, fresh }: { url: string; fresh: boolean },
): Promise<DataSet> {
  const record = keepData === undefined ? undefined : join(keepData, 'data.json');
  if (record !== undefined && !fresh && existsSync(record)) return JSON.parse(readFileSync(record, 'utf8'));
  const data = await loadData(url, large);
  if (record !== undefined) writeFileSync(record, JSON.stringify(data));
  return data;
}

async function main(): Promise<void> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
    return;
  }
  if (options.help) process.stdout.write(HELP);
  else await run(options);
}

await main();
