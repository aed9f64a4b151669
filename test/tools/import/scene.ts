// A database with reference rows, and directories to import into it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '#database/database.ts';
import { eraseByImport } from '#gateway/personal-data/erase-by-import.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { type Fault, ImportRefused } from '#tools/import/faults.ts';
import { type ImportCounts, importDirectory } from '#tools/import/import-directory.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows of tests are wrong on purpose, too.
export type Rows = Record<string, any>[];

/** Rows by file name without its ending; a text is the file as it is. */
export type Directory = Record<string, Rows | string | Buffer>;

export interface Scene {
  database: Database;
  /** Imports rows from a directory of their own. */
  load(directory: Directory): Promise<ImportCounts>;
  /** Imports and expects faults. */
  refused(directory: Directory): Promise<Fault[]>;
  /** The rows of a query. */
  // biome-ignore lint/suspicious/noExplicitAny: columns vary from test to test.
  rows(text: string, values?: unknown[]): Promise<any[]>;
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const { url, drop } = await createMigratedDatabase();
  const database = await openDatabase({ url, connections: 3 });
  const scene = sceneOver(database);
  return {
    ...scene,
    async close() {
      await scene.close();
      await database.close();
      await drop();
    },
  };
}

export function sceneOver(database: Database): Scene {
  const directories: string[] = [];
  const load = async (files: Directory) => {
    const directory = await writeDirectory(files);
    directories.push(directory);
    const erase = eraseByImport({ portalUrl: null, noticeDays: 30 });
    return importDirectory(database, { directory, platformPrefix: 'PTC', erase });
  };
  return {
    database,
    load,
    async refused(files) {
      try {
        await load(files);
      } catch (error) {
        if (error instanceof ImportRefused) return error.faults;
        throw error;
      }
      throw new Error('the import was not refused');
    },
    rows: (text, values = []) => database.query({ text, values }),
    async close() {
      for (const directory of directories) await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function writeDirectory(files: Directory): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-import-'));
  for (const [name, rows] of Object.entries(files)) {
    const text = Array.isArray(rows) ? rows.map((row) => `${JSON.stringify(row)}\n`).join('') : rows;
    await writeFile(join(directory, `${name}.ndjson`), text);
  }
  return directory;
}

/** An id with a ULID of 2024 that ends in the number. */
export const idOf = (prefix: string, number: number): string => `${prefix}_01HMW${String(number).padStart(21, '0')}`;

export const firm = { id: idOf('frm', 1), name: 'Hartwell', plan: 'enterprise', plan_active: true };
export const client = {
  id: idOf('usr', 1),
  email: 'anne@example.com',
  name: 'Anne',
  role: 'client',
  environment: 'sandbox',
  reporting_currency: 'USD',
};
export const collection = { id: idOf('col', 1), client_id: client.id, name: 'House' };
export const asset = {
  id: idOf('itm', 1),
  client_id: client.id,
  category: 'WT',
  title: 'Rolex Submariner',
  updated_at: '2024-05-01T10:00:00Z',
  market_value: '9000',
};
export const valuation = {
  id: idOf('val', 1),
  asset_id: asset.id,
  source: 'appraisal',
  value: { amount: '9000', currency: 'USD' },
  valued_at: '2024-04-01T00:00:00Z',
};
export const document = { id: idOf('doc', 1), asset_id: asset.id, type: 'photograph', title: 'Dial' };

/** One row of each kind. */
export const ONE_OF_EACH = {
  firms: [firm],
  users: [client],
  collections: [collection],
  assets: [asset],
  valuations: [valuation],
  documents: [document],
};
