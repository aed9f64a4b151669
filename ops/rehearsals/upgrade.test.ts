// docs/runbooks/upgrade.md, across a migration: the version before the newest migration serves while the database is migrated,
// and is replaced gateway by gateway.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectNothingLost, HERE, runPortico, startFleet } from './fleet.ts';

const MIGRATIONS = 'src/database/migrations';

/** The repository as it was before its newest migration came, in a directory of its own. */
function earlierTree(): { tree: string; newest: string; remove(): void } {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: HERE, encoding: 'utf8' }).trim();
  const newest = readdirSync(join(HERE, MIGRATIONS))
    .filter((name) => name.startsWith('Migration'))
    .sort()
    .at(-1);
  const commit = git('log', '--diff-filter=A', '-1', '--format=%H', '--', `${MIGRATIONS}/${newest}`);
  if (commit === '') throw new Error(`This rehearsal needs the history of the repository, with ${newest} in it.`);
  const tree = mkdtempSync(join(tmpdir(), 'portico-earlier-'));
  execFileSync('sh', ['-c', `git archive ${commit}^ | tar -x -C ${tree}`], { cwd: HERE });
  const packagesOf = (root: string) =>
    JSON.stringify(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies);
  if (packagesOf(tree) === packagesOf(HERE)) symlinkSync(join(HERE, 'node_modules'), join(tree, 'node_modules'));
  else execFileSync('npm', ['ci', '--omit=dev', '--prefer-offline'], { cwd: tree, stdio: 'ignore' });
  return { tree, newest: newest ?? '', remove: () => rmSync(tree, { recursive: true }) };
}

it('an upgrade across a migration', async () => {
  await using stack = new AsyncDisposableStack();
  const { tree, newest, remove } = earlierTree();
  stack.defer(remove);
  const fleet = stack.use(await startFleet({ tree, primaryOnly: true }));
  const old = fleet.gateways.map(({ serve }) => serve);
  const env = fleet.gateways[0]?.env ?? {};
  expect(await runPortico(HERE, env, 'migrate')).toContain(newest.replace('.ts', ''));
  // The version before goes on with what the new one needs.
  await fleet.served(300);
  expect(old.every(({ running }) => running)).toBe(true);
  for (const index of fleet.gateways.keys()) {
    await fleet.stop(index);
    await fleet.start(index, HERE);
    await fleet.served(100);
  }
  await fleet.mended();
  await expectNothingLost('planned: an upgrade across a migration, old and new gateways side by side', fleet);
});
