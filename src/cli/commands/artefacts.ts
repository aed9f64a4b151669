// Command line: `portico artefacts`: writes the generated files that are committed, or reports stale ones.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReference } from '#repositories/reference.ts';
import type { Config } from '#src/config.ts';
import { documentSettings } from '#src/configuration/document.ts';
import { CommandFailure, type CommandHost, print } from '../host.ts';
import { withDatabase } from '../session.ts';

const ROOT = new URL('../../../', import.meta.url);

export function registerArtefacts({ program, config, json }: CommandHost): void {
  program
    .command('artefacts', { hidden: true })
    .description('write schema/schema.graphql, rest-facade/openapi.json and docs/configuration.md from the code')
    .option('--check', 'write nothing; fail if a file is out of date')
    .action(async ({ check = false }: { check?: boolean }) => {
      const artefacts = await makeArtefacts(config());
      const files = Object.keys(artefacts);
      const stale = check ? await staleFiles(artefacts) : [];
      if (stale.length > 0)
        throw new CommandFailure(`stale: ${stale.join(', ')}; run: npm run -s portico -- artefacts`);
      if (!check) for (const [file, text] of Object.entries(artefacts)) await writeFile(new URL(file, ROOT), text);
      print(json(), { files, written: !check }, `${check ? 'up to date' : 'written'}: ${files.join(', ')}`);
    });
}

async function staleFiles(artefacts: Record<string, string>): Promise<string[]> {
  const checks = Object.entries(artefacts).map(async ([file, text]) => {
    const committed = await readFile(new URL(file, ROOT), 'utf8').catch(() => null);
    return committed === text ? [] : [file];
  });
  return (await Promise.all(checks)).flat();
}

/** Text by file, relative to the repository. Depends only on the code, not on the configured database. */
async function makeArtefacts(settings: Config): Promise<Record<string, string>> {
  // Imported here because no other command needs the schema.
  const { lexicographicSortSchema, printSchema } = await import('graphql');
  const { describeApi } = await import('#rest-facade/openapi.ts');
  const { buildSchemas } = await import('#schema/index.ts');
  const schemas = buildSchemas();
  const reference = await shippedReference(settings);
  return {
    'schema/schema.graphql': `${printSchema(lexicographicSortSchema(schemas.guarded))}\n`,
    'rest-facade/openapi.json': `${JSON.stringify(describeApi({ schemas, reference }), null, 2)}\n`,
    'docs/configuration.md': documentSettings(),
  };
}

/** The reference rows from the migrations, read from a temporary embedded database. */
async function shippedReference(settings: Config) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'portico-artefacts-'));
  try {
    return await withDatabase({ ...settings, databaseUrl: undefined, dataDirectory }, readReference);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}
