// A command whose connection to the database ends while it works says so in one sentence.
import { expect, it, onTestFinished } from 'vitest';
import { createMigratedDatabase } from '#test/support/database.ts';
import { withClient } from '#test/support/database-server.ts';
import { runHere } from './portico.ts';

it('a command whose connection ends fails with one line, and changes nothing', async () => {
  const created = await createMigratedDatabase();
  onTestFinished(() => created.drop());
  await withClient(created.url, (sql) =>
    sql.query(`create function end_session() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger ends after insert on firms for each row execute function end_session()`),
  );
  const words = ['firm', 'create', '--name', 'Firm', '--plan', 'enterprise', '--json'];
  const { code, stdout, stderr } = await runHere({ DATABASE_URL: created.url }, ...words);
  expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'failed']);
  expect(stderr).toMatch(/^portico: the database became unavailable: [^\n]+\n$/);
  const { rows } = await withClient(created.url, (sql) => sql.query('select from firms'));
  expect(rows).toEqual([]);
});
