// Command line: `portico client …`: data held on a client: export, holds and erasure.
import { rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { Database } from '#database/database.ts';
import { clientExport, type ExportSource } from '#gateway/personal-data/client-export.ts';
import { readPerson } from '#repositories/admission/principals.ts';
import { readOneSnapshot } from '#repositories/database-health.ts';
import { readReference } from '#repositories/reference.ts';
import { registerCertificate, registerErase, registerHolds, registerShow } from '../erasure-commands.ts';
import { CommandFailure, type CommandHost, note, notFound, print } from '../host.ts';
import { printableJson } from '../printable.ts';
import { withDatabase } from '../session.ts';

export function registerClient(host: CommandHost): void {
  const client = host.program.command('client').description('what is held on a client');
  registerExport(client, host);
  registerShow(client, host);
  registerHolds(client, host);
  registerErase(client, host);
  registerCertificate(client, host);
}

/** Signals that end the command: a partial export of personal data must not be left behind. */
const ENDING = ['SIGINT', 'SIGTERM'] as const;

function registerExport(client: Command, { config, json }: CommandHost): void {
  client
    .command('export')
    .argument('<id>', 'the client')
    .option('--out <file>', 'where to write it; absent: standard output, as the same lines with --json')
    .description('everything stored about a client, as newline-delimited JSON that `import` can read')
    .action((id: string, { out }: { out?: string }) =>
      withDatabase(config(), async (database) => {
        const { portalUrl, recordArchive } = config();
        const about = { issuer: portalUrl ?? null, archive: { directory: recordArchive ?? null } };
        const lines = (to: Writable) => writeExport(database, id, about, to);
        if (out === undefined) return lines(process.stdout);
        await requireReplaceable(out);
        // Renamed to its final name once it is complete.
        const draft = `${out}.part`;
        const end = (signal: NodeJS.Signals) => {
          rmSync(draft, { force: true });
          process.exit(128 + constants.signals[signal]);
        };
        for (const signal of ENDING) process.on(signal, end);
        try {
          const file = (await open(draft, 'w', 0o600)).createWriteStream();
          await lines(file).finally(() => file.destroy());
          await rename(draft, out);
        } catch (error) {
          await rm(draft, { force: true });
          throw (error as NodeJS.ErrnoException).syscall === undefined
            ? error
            : new CommandFailure(`${out} cannot be written: ${(error as Error).message}`);
        } finally {
          for (const signal of ENDING) process.off(signal, end);
        }
        const message = `Everything stored about ${id} is in ${out}.`;
        if (json()) print(true, { id, file: out }, message);
        else note(message);
      }),
    );
}

/** A device or a pipe in the place of the file would be replaced, not written to. */
async function requireReplaceable(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() === false) throw new CommandFailure(`${path} cannot be written: it is not a regular file`);
}

async function* printableLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const lines of pieces) yield printableJson(lines);
}

/** Reads everything as of one moment. */
function writeExport(
  database: Database,
  id: string,
  about: Pick<ExportSource, 'issuer' | 'archive'>,
  to: Writable,
): Promise<void> {
  return database.transaction(
    async (sql) => {
      await readOneSnapshot(sql);
      const person = await readPerson(sql, id);
      if (person?.kind !== 'client') throw notFound(`client ${id}`);
      const reference = await readReference(sql);
      const pieces = clientExport({ sql, reference: { current: () => reference }, ...about }, person);
      // Standard output cannot be closed.
      await pipeline(printableLines(pieces), to, { end: to !== process.stdout });
    },
    { noTimeout: true },
  );
}
