// A part of `npm run chaos`: a gateway under load, and the wait until it has recovered.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, type Sent, startLoad, withinLimit } from '#test/faults/load.ts';
import { makePortfolio, type Portfolio } from '#test/faults/portfolio.ts';
import { type ServeProcess, startServe } from '#test/faults/serve-process.ts';
import { until } from '#test/support/ports.ts';

const CONCURRENCY = 16;
const TIMEOUT_MS = 180_000;

export interface Part {
  portfolio: Portfolio;
  serve: ServeProcess;
  load: Load;
  /** Waits for this many more responses with status 200. */
  served(count?: number): Promise<void>;
  /** Waits until the gateway is ready and serves, stops the load and returns all requests. */
  recovered(): Promise<Sent[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A gateway with a portfolio, under load. `direct` is the test's own database URL, by default that of the gateway. */
export async function startPart(
  env: Record<string, string> & { DATABASE_URL: string },
  direct?: string,
): Promise<Part> {
  const portfolio = await makePortfolio(direct ?? env.DATABASE_URL);
  // Without a journal a restored or promoted database needs an operator.
  const directory = await mkdtemp(join(tmpdir(), 'portico-journal-'));
  const serve = await startServe({ REVOCATION_JOURNAL: join(directory, 'journal'), ...env });
  const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: withinLimit(CONCURRENCY) });
  const served = (count = 60) => {
    const servedSoFar = () => load.sent.filter(({ status }) => status === 200).length;
    const wanted = servedSoFar() + count;
    return until(
      async () => servedSoFar() >= wanted,
      TIMEOUT_MS,
      () => new Error(`the gateway does not serve:\n${serve.output}`),
    );
  };
  await served();
  return {
    ...{ portfolio, serve, load, served },
    async recovered() {
      await until(
        async () => (await serve.readiness()).body.status === 'ready',
        TIMEOUT_MS,
        () => new Error(`the gateway does not recover:\n${serve.output}`),
      );
      await served();
      return load.stop();
    },
    async [Symbol.asyncDispose]() {
      await serve.end();
      await load.stop();
      await portfolio.database.close();
      await rm(directory, { recursive: true });
    },
  };
}
