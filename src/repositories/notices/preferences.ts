// Repositories: topics that people have muted.
import type { Topic } from '#core/notices.ts';
import type { Sql } from '#database/database.ts';
import { readColumn } from '#database/rows.ts';
import { IS_PRESENT } from '../status-sql.ts';

export function mutedTopics(sql: Sql, userId: string): Promise<string[]> {
  return readColumn(sql, { text: 'select topic from muted_topics where user_id = $1', values: [userId] });
}

/** Mutes or unmutes the topic for the person, including notices that wait to be sent. */
export async function setMuted(
  sql: Sql,
  { userId, topic }: { userId: string; topic: Topic },
  muted: boolean,
): Promise<void> {
  // The lock waits for an erasure, as in noteZone.
  const text = muted
    ? `insert into muted_topics (user_id, topic)
        select u.id, $2 from users u where u.id = $1 and ${IS_PRESENT} for key share on conflict do nothing`
    : 'delete from muted_topics where user_id = $1 and topic = $2';
  await sql.query({ text, values: [userId, topic] });
}
