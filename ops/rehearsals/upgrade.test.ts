// docs/runbooks/upgrade.md, across a migration: the version before the newest migration serves while the database is
// migrated, and is replaced gateway by gateway.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { expectNothingLost, HERE, runPortico, startFleet } from './fleet.ts';

const MIGRATIONS = 'src/database/migrations';

/** The last commit with fewer migrations than now, in a directory of its own, and the migrations added since. */
function earlierTree(): { tree: string; since: string[]; remove(): void } {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: HERE, encoding: 'utf8' }).trim().split('\n');
  const migrationsAt = (commit: string) =>
    git('ls-tree', '-r', '--format=%(objectname) %(path)', commit, MIGRATIONS).filter((line) =>
      /Migration\d+/.test(line),
    );
  const now = migrationsAt('HEAD');
  // A migration that was removed before its release is in no database.
  const commit = git('rev-list', 'HEAD').find((candidate) => {
    const then = migrationsAt(candidate);
    return then.length < now.length && then.every((line) => now.includes(line));
  });
  if (commit === undefined)
    throw new Error('This rehearsal needs the history of the repository: no commit lacks the newest migration.');
  const then = migrationsAt(commit);
  const since = now.filter((line) => !then.includes(line)).map((line) => basename(line, '.ts'));
  const tree = mkdtempSync(join(tmpdir(), 'portico-earlier-'));
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C ${tree}`], { cwd: HERE });
  const packagesOf = (root: string) =>
    JSON.stringify(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies);
  if (packagesOf(tree) === packagesOf(HERE)) symlinkSync(join(HERE, 'node_modules'), join(tree, 'node_modules'));
  else execFileSync('npm', ['ci', '--omit=dev', '--prefer-offline'], { cwd: tree, stdio: 'ignore' });
  return { tree, since, remove: () => rmSync(tree, { recursive: true }) };
}

it('an upgrade across a migration', async () => {
  await using stack = new AsyncDisposableStack();
  const { tree, since, remove } = earlierTree();
  stack.defer(remove);
  const fleet = stack.use(await startFleet({ tree, primaryOnly: true }));
  const old = fleet.gateways.map(({ serve }) => serve);
  const env = fleet.gateways[0]?.env ?? {};
  const applied = await runPortico(HERE, env, 'migrate');
  for (const name of since) expect(applied).toContain(name);
  // The previous version keeps serving with the new schema.
  await fleet.served(300);
  expect(old.every(({ running }) => running)).toBe(true);
  for (const index of fleet.gateways.keys()) {
    await fleet.stop(index);
    await fleet.start(index, HERE);
    await fleet.served(100);
  }
  await fleet.recovered();
  await expectNothingLost('planned: an upgrade across a migration, old and new gateways side by side', fleet);
});
