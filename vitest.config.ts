// The test projects. All tests use a real PostgreSQL and Redis, which the global set-up finds or starts.

import { existsSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { compileCacheDirectory } from './src/database/private-directory.ts';
import { ProjectByProject } from './test/support/project-by-project.ts';

/** Tests of the portal's pages in Chromium. */
const BROWSER = ['test/portal-pages/**/*.test.ts'];

/**
 * The files of `npm run chaos`, which prints a table of their results: long faults, and short ones that are also in
 * FAULTS.
 */
const CHAOS = ['test/chaos/**/*.test.ts', 'test/faults/{postgres-away,redis-away,stopping}.test.ts'];
const chaos = process.env.CHAOS !== undefined;

/** The files of `npm run rehearse`, which prints a table of their results; the short one is also in FAULTS. */
const REHEARSALS = ['ops/rehearsals/**/*.test.ts'];
const SHORT_REHEARSAL = 'ops/rehearsals/rolling-restart.test.ts';
const rehearse = process.env.REHEARSE !== undefined;

/** The file of `npm run test:image`, which needs a container engine, and some minutes to build the image. */
const IMAGE = ['test/deployment/image.test.ts'];
const image = process.env.IMAGE !== undefined;

/** Tests that stop servers, start processes, wait in real time, or take long. */
const FAULTS = [
  'test/faults/**/*.test.ts',
  'test/cli/{doctor,rolling-restart,workers}.test.ts',
  'test/database/{certificates,failover,pgbouncer,replicas}.test.ts',
  'test/guarantees/response-cache.test.ts',
  'test/limits/{cluster,cluster-ends,real-time,redis-*}.test.ts',
  'test/guarantees/{delta-sync,walks}.test.ts',
  'test/portal-server/embedded.test.ts',
  'test/support/services.test.ts',
  'test/tools/import/{command,embedded}.test.ts',
  SHORT_REHEARSAL,
];

/** Other files that take more than about seven seconds each: two thirds of the time of `fast` and `long` together. */
const LONG = [
  'test/cli/{compile-cache,heap,lean-start,limits-live}.test.ts',
  'test/database/{connections,earlier-states,migrations-beside-others,prepared-statements,timeouts}.test.ts',
  'test/deployment/sbom.test.ts',
  'test/gateway/{compiled-equals-guarded,pruned-equals-guarded,witnesses}.test.ts',
  'test/guarantees/{access-record,archived-ledger,cached-equals-uncached,disclosed,erasure-beside-calls}.test.ts',
  'test/guarantees/{fuzz,ledger,ledger-engines,no-deadlocks}.test.ts',
  'test/limits/{faults-in-time,guarantee}.test.ts',
  'test/observability/{limit-sums,metrics,tracing}.test.ts',
  'test/ops/names.test.ts',
  'test/portal-schema/preview.test.ts',
  'test/portal-server/{downloads-end,hostile-variables,ledger-log,notifications,open-id,rate-limits,record-export,sender,teams,wrong-persons}.test.ts',
  'test/repositories/record-{archive,months}.test.ts',
  'test/rest-facade/{brief-limits,delta-{removals,sync,whole-view},examples,firm-limit,money-and-time}.test.ts',
  'test/rest-facade/{no-inference-past-scopes,paging,portfolio-summary,shadow-mode}.test.ts',
  'test/support/alerting.test.ts',
  'test/tools/import/{changes,erasing}.test.ts',
];

// The same directory as that of the program (src/main.ts), so that every process that loads the product finds it
// compiled. Set here, because Node would create it with access for others.
const cache = process.env.NODE_COMPILE_CACHE ?? compileCacheDirectory();
if (cache !== null) process.env.NODE_COMPILE_CACHE = cache;

// A run creates hundreds of databases of hundreds of files each, which takes ten times as long on disk. Images are
// built on disk, because file systems in memory may forbid devices and programs.
const MEMORY = '/dev/shm';
if (process.env.TMPDIR === undefined && !image && hasRoom(MEMORY)) process.env.TMPDIR = MEMORY;

/** A run needs about 1 GB at once, and memory for its processes. A container may have 64 MB. */
function hasRoom(directory: string): boolean {
  if (!existsSync(directory)) return false;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize > 8e9;
}

/** Of projects with another number of processes than `faults`. */
const AFTER_FAULTS = { groupOrder: 1 };

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/seed.ts'],
    reporters: ['default', './test/support/summary-reporter.ts', './test/faults/chaos-reporter.ts'].slice(
      0,
      chaos || rehearse ? 3 : 2,
    ),
    pool: 'forks',
    // Modules are loaded by Node, as in the product: the resolution of Vite would load a second copy of graphql.
    experimental: { viteModuleRunner: false },
    // More than the cores of a small machine, because tests often wait for servers, browsers and clocks.
    maxWorkers: 4,
    sequence: { sequencer: ProjectByProject },
    // Long timeouts for busy machines.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    // In all projects that `npm test` runs, files share processes (`isolate`), because loading the product takes a
    // second.
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...BROWSER, ...FAULTS, ...LONG, ...CHAOS, ...IMAGE],
          ...{ isolate: false, sequence: AFTER_FAULTS },
        },
      },
      { extends: true, test: { name: 'long', include: LONG, isolate: false, sequence: AFTER_FAULTS } },
      {
        extends: true,
        test: {
          ...{ name: 'browser', include: BROWSER, globalSetup: ['test/support/built-portal.ts'] },
          ...{ isolate: false, sequence: AFTER_FAULTS },
        },
      },
      // More processes, and as many concurrent tests as redis-faults.test.ts has, because all of these mostly wait.
      { extends: true, test: { name: 'faults', include: FAULTS, isolate: false, maxWorkers: 8, maxConcurrency: 8 } },
      ...(image ? [{ extends: true as const, test: { name: 'image', include: IMAGE, sequence: AFTER_FAULTS } }] : []),
      ...(rehearse
        ? [
            {
              extends: true as const,
              test: { name: 'rehearsals', include: REHEARSALS, fileParallelism: false, testTimeout: 900_000 },
            },
          ]
        : []),
      ...(chaos
        ? [
            {
              extends: true as const,
              test: { name: 'chaos', include: CHAOS, fileParallelism: false, testTimeout: 600_000 },
            },
          ]
        : []),
    ],
  },
});
