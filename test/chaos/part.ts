// A part of `npm run chaos`: a gateway under load, a fault, and the wait until all is well again.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, type Sent, startLoad, withinLimit } from '#test/faults/load.ts';
import { makePortfolio, type Portfolio } from '#test/faults/portfolio.ts';
import { type ServeProcess, startServe } from '#test/faults/serve-process.ts';
import { until } from '#test/support/ports.ts';

const ABREAST = 16;
const PATIENCE_MS = 180_000;

export interface Part {
  portfolio: Portfolio;
  serve: ServeProcess;
  load: Load;
  /** Waits for so many more answers with the status 200. */
  served(count?: number): Promise<void>;
  /** Waits until the gateway is ready and serves, ends the load and gives all that was sent. */
  mended(): Promise<Sent[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A gateway with a portfolio, under load. `direct` is where the test itself reaches the database, by default as the gateway does. */
export async function startPart(
  env: Record<string, string> & { DATABASE_URL: string },
  direct?: string,
): Promise<Part> {
  const portfolio = await makePortfolio(direct ?? env.DATABASE_URL);
  // Without it a restored or promoted database waits for a person.
  const directory = await mkdtemp(join(tmpdir(), 'portico-journal-'));
  const serve = await startServe({ REVOCATION_JOURNAL: join(directory, 'journal'), ...env });
  const load = startLoad(portfolio.wanted(serve.url), ABREAST, { pauseMs: withinLimit(ABREAST) });
  const served = () => {
    const servedSoFar = () => load.sent.filter(({ status }) => status === 200).length;
    const wanted = servedSoFar() + 60;
    return until(
      async () => servedSoFar() >= wanted,
      PATIENCE_MS,
      () => new Error(`it does not serve:\n${serve.said}`),
    );
  };
  await served();
  return {
    ...{ portfolio, serve, load, served },
    async mended() {
      await until(
        async () => (await serve.readiness()).body.status === 'ready',
        PATIENCE_MS,
        () => new Error(`it does not recover:\n${serve.said}`),
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
