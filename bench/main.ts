// Bench: a run, from the command line to the tables.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparisonsTable } from './comparisons.ts';
import { type Contestant, FLOOR, heatsOf, PRODUCT } from './contestants.ts';
import { type DataSet, loadData, migrateData } from './data.ts';
import { Generator } from './generator.ts';
import { measureGrowth } from './growth.ts';
import { installDirectus, installPeers } from './install.ts';
import { type Bench, type Measured, measure, prepareCells } from './measure.ts';
import { watchMemory } from './memory.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { type Running, type Services, startContestant } from './processes.ts';
import { note } from './progress.ts';
import { measureRecord } from './record.ts';
import { commitOf, generatorNote, legend, resultsTable } from './report.ts';
import { measureResponsiveness } from './responsiveness.ts';
import { type Result, resultsOf } from './results.ts';
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
  // Before any contestant starts, because child processes inherit it.
  for (const pid of [postgres.pid, redis.pid, process.pid]) pin(pid, SERVERS_CORE);
  await migrateData(postgres.url);

  const collector = closing(await startCollector());
  pin(collector.pid, SERVERS_CORE);
  const services = { databaseUrl: postgres.url, redisUrl: redis.url, collectorUrl: collector.url };
  const data = await dataFor(options, postgres);
  await installPeers();
  const generator = closing(new Generator(postgres.url));
  const bench: Omit<Bench, 'running'> = { data, postgres, redis, generator, reference: new Map() };
  const beside = <Found>(contestants: readonly Contestant[], work: (bench: Bench) => Promise<Found>) =>
    whileRunning(contestants, services, (running) => work({ ...bench, running }));
  const product = options.contestants.filter(({ name }) => name === PRODUCT);

  if (options.table) {
    const heats: Measured[][] = [];
    for (const heat of heatsOf(options.contestants)) heats.push(await beside(heat, (bench) => runHeat(bench, options)));
    report(heats, options);
  }
  if (options.growth) publish('Growth', await beside(product, measureGrowth));
  if (options.memory) publish('Memory', await beside(product, watchMemory));
}

async function runHeat(bench: Bench, { works, concurrencies, pace }: Options): Promise<Measured[]> {
  note('comparing answers');
  return measure(bench, await prepareCells(bench, works, concurrencies), pace);
}

function report(heats: readonly Measured[][], options: Options): void {
  const results = inOrder(heats.map(resultsOf), options);
  const texts = [resultsTable(results), comparisonsTable(results, options.callers), generatorNote(heats.flat())];
  const text = texts.filter((each) => each !== null).join('\n\n');
  if (options.whole) writeSection('Contestants', `${legend(options)}\n\n${text}`);
  console.log(text);
  if (options.out !== undefined) {
    const report = { commit: commitOf(), rounds: options.pace.rounds, results };
    writeFileSync(options.out, `${JSON.stringify(report, null, 2)}\n`);
  }
}

/** By work and contestant, with the floor's figures from the first heat. */
function inOrder([first = [], ...others]: readonly Result[][], { works, contestants }: Options): Result[] {
  const results = [...first, ...others.flat().filter(({ contestant }) => contestant !== FLOOR)];
  return works.flatMap((work) =>
    contestants.flatMap(({ name }) => results.filter((each) => each.work === work.name && each.contestant === name)),
  );
}

function publish(section: Section, text: string): void {
  writeSection(section, text);
  console.log(`\n${text}`);
}

/** Starts the contestants that can run here one after the other, and stops them after the work. */
async function whileRunning<Found>(
  contestants: readonly Contestant[],
  services: Services,
  work: (running: Running[]) => Promise<Found>,
): Promise<Found> {
  await using stack = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const contestant of contestants) {
    const reason = contestant.absent?.() ?? null;
    note(`${contestant.name}: ${reason ?? 'starting'}`);
    if (reason !== null) continue;
    const started = await startContestant(contestant, services);
    stack.defer(started.stop);
    running.push(started);
  }
  return await work(running);
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
