// Repositories: topics that people have muted.
import type { Topic } from '#core/notices.ts';
import type { Sql } from '#database/database.ts';

export async function mutedTopics(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql.query<{ topic: string }>({
    text: 'select topic from muted_topics where user_id = $1',
    values: [userId],
  });
  return rows.map(({ topic }) => topic);
}

/** Mutes or unmutes the topic for the person, including notices that wait to be sent. */
export async function setMuted(
  sql: Sql,
  { userId, topic }: { userId: string; topic: Topic },
  muted: boolean,
): Promise<void> {
  await sql.query({
    text: muted
      ? `insert into muted_topics (user_id, topic) select id, $2 from users where id = $1 on conflict do nothing`
      : 'delete from muted_topics where user_id = $1 and topic = $2',
    values: [userId, topic],
  });
}
