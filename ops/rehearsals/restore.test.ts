// docs/runbooks/restore.md: the database is restored to a time before a mistake, and later revocations are applied
// again.

import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Sent, sendOne } from '#test/faults/load.ts';
import { recordedUntil } from '#test/faults/tally.ts';
import { until } from '#test/support/ports.ts';
import { takeBaseBackup } from '#test/support/postgres-server.ts';
import { startPostgres } from '#test/support/services.ts';
import { expectNoOtherLoss, sql, startFleet } from './fleet.ts';

it('the database is restored to the time before a mistake', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'portico-restore-'));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  chmodSync(directory, 0o777);
  const archive = join(directory, 'archive');
  mkdirSync(archive);
  chmodSync(archive, 0o777);
  const settings = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
  const fleet = stack.use(await startFleet({ settings }));
  const { portfolio, primary } = fleet;
  const spare = () => sendOne(portfolio.wanted(fleet.balancer.url, portfolio.spare)(1));

  const backup = join(directory, 'backup');
  await takeBaseBackup(primary, backup);
  const before = await recordedUntil(fleet.load, portfolio);
  await sql(primary, `select pg_create_restore_point('before')`);
  await fleet.served(200);
  expect((await spare()).status).toBe(200);
  await fleet.portico('key', 'revoke', portfolio.spare.id);
  const { rows } = await sql(primary, 'select pg_walfile_name(pg_switch_wal()) as name');
  const archived = async () =>
    (await sql(primary, `select last_archived_wal >= '${rows[0].name}' as done from pg_stat_archiver`)).rows[0].done;
  await until(archived, 60_000, () => new Error('the log is not archived'));

  // 1. Stop all writers.
  for (const index of fleet.gateways.keys()) await fleet.stop(index);
  const stopped = performance.now();
  await fleet.standby.stop();
  await primary.stop();
  // 2. Restore to the chosen time. The primary's setting is in the backup, but the restored server has no standby yet.
  appendFileSync(join(backup, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n");
  const restored = await startPostgres({
    from: { directory: backup, recover: true },
    settings: {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: 'before',
      recovery_target_action: 'promote',
    },
  });
  stack.defer(() => restored.stop());
  const open = async () => (await sql(restored, 'select pg_is_in_recovery() as waits')).rows[0].waits === false;
  await until(open, 60_000, () => new Error('recovery does not end'));
  fleet.moveTo(restored.url);
  // 3. Apply later revocations.
  const output = await fleet
    .portico('restore', '--journal', ...fleet.journals, '--json')
    .catch((error) => error.stderr);
  expect(output).toContain('"applied":1');
  // 4. Start the gateways.
  for (const index of fleet.gateways.keys()) await fleet.start(index);
  await fleet.recovered();
  expect((await spare()).status).toBe(401);
  const lost = ({ started, ended }: Sent) => ended > before && started < stopped;
  await expectNoOtherLoss('the database is restored to an earlier moment, with the gateways stopped', fleet, {
    missing: lost,
  });
});
