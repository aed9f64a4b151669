// How the tests run: against a real PostgreSQL and Redis, which the global set-up finds or starts.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    // Node runs the tests as it runs the product: a bundler's resolution would load a second copy of graphql.
    experimental: { viteModuleRunner: false },
    maxWorkers: 2,
    testTimeout: 30_000,
    // Pages and records are waited for as long as a busy machine takes, not for a second.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
