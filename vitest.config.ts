// How the tests run: against a real PostgreSQL and Redis, which the global set-up finds or starts.

import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ProjectByProject } from './test/support/project-by-project.ts';

/** Look at the portal's pages in Chromium. */
const BROWSER = ['test/portal-pages/**/*.test.ts'];

/** What `npm run chaos` repeats, and prints a table of: the long faults, and those short ones that every run has. */
const CHAOS = ['test/chaos/**/*.test.ts', 'test/faults/{postgres-away,redis-away,stopping}.test.ts'];
const chaos = process.env.CHAOS !== undefined;

/** What `npm run rehearse` plays through, and prints a table of; the short one is in every run. */
const REHEARSALS = ['ops/rehearsals/**/*.test.ts'];
const SHORT_REHEARSAL = 'ops/rehearsals/rolling-restart.test.ts';
const rehearse = process.env.REHEARSE !== undefined;

/** `npm run test:image`: needs an engine that may start containers, and some minutes for its base. */
const IMAGE = ['test/deployment/image.test.ts'];
const image = process.env.IMAGE !== undefined;

/** Take servers away, start processes of our own, wait while real time passes, or take long. */
const FAULTS = [
  'test/faults/**/*.test.ts',
  'test/cli/{doctor,rolling-restart,workers}.test.ts',
  'test/database/{certificates,failover,pgbouncer,replicas}.test.ts',
  'test/guarantees/response-cache.test.ts',
  // Adds to the schema, which files of one process would share.
  'test/schema/declared-scopes.test.ts',
  'test/limits/{cluster,cluster-ends,real-time,redis-*}.test.ts',
  'test/guarantees/{delta-sync,walks}.test.ts',
  'test/portal-server/embedded.test.ts',
  'test/support/services.test.ts',
  'test/tools/import/{command,embedded}.test.ts',
  SHORT_REHEARSAL,
];

/** Take more than about seven seconds each: two thirds of the time of what is not in the other projects. */
const LONG = [
  'test/database/{connections,earlier-states,migrations-beside-others,prepared-statements,timeouts}.test.ts',
  'test/gateway/{compiled-equals-guarded,pruned-equals-guarded,witnesses}.test.ts',
  'test/guarantees/{archived-ledger,disclosed,fuzz,ledger,ledger-engines}.test.ts',
  'test/limits/{faults-in-time,guarantee}.test.ts',
  'test/observability/{limit-sums,metrics,tracing}.test.ts',
  'test/ops/names.test.ts',
  'test/portal-schema/preview.test.ts',
  'test/portal-server/{ledger-log,notifications,open-id,rate-limits,record-export,sender,teams,wrong-persons}.test.ts',
  'test/repositories/record-{archive,months}.test.ts',
  'test/rest-facade/{brief-limits,delta-{removals,sync,whole-view},examples,firm-limit,money-and-time}.test.ts',
  'test/rest-facade/{no-inference-past-scopes,paging,portfolio-summary,shadow-mode}.test.ts',
  'test/support/alerting.test.ts',
  'test/tools/import/{changes,erasing}.test.ts',
];

// Where `serve` keeps it too: each process that loads the product finds it compiled.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

// Databases of hundreds of files each come and go by the hundred: on a disk's file system making one takes ten times the
// time. An image's file system stays on the disk, because what is in memory may hold no devices or programs.
const MEMORY = '/dev/shm';
if (process.env.TMPDIR === undefined && !image && hasRoom(MEMORY)) process.env.TMPDIR = MEMORY;

/** A run has about 1 GB there at once, and its processes need memory, too. A container may have 64 MB. */
function hasRoom(directory: string): boolean {
  if (!existsSync(directory)) return false;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize > 8e9;
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/seed.ts'],
    reporters: ['default', './test/support/summary-reporter.ts', './test/faults/chaos-reporter.ts'].slice(
      0,
      chaos || rehearse ? 3 : 2,
    ),
    pool: 'forks',
    // Node runs the tests as it runs the product: a bundler's resolution would load a second copy of graphql.
    experimental: { viteModuleRunner: false },
    // More than there are cores where there are two: much of the time is waiting for servers, browsers and clocks.
    maxWorkers: 4,
    sequence: { sequencer: ProjectByProject },
    // Patience is for busy machines; it costs nothing where tests pass.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        // One process for many files, because each would spend a second on loading the product anew.
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...BROWSER, ...FAULTS, ...LONG, ...CHAOS, ...IMAGE],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'long', include: LONG, isolate: false } },
      {
        extends: true,
        test: { name: 'browser', include: BROWSER, globalSetup: ['test/support/built-portal.ts'], isolate: false },
      },
      { extends: true, test: { name: 'faults', include: FAULTS } },
      ...(image ? [{ extends: true as const, test: { name: 'image', include: IMAGE } }] : []),
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
