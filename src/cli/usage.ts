// Command line: who knows how much of each limit is used: Redis, or without it the running gateway.
import type { Config } from '#src/config.ts';
import { CommandFailure } from './host.ts';
import { withDatabase } from './session.ts';
import type { ReadUsage } from './usage-of-gateway.ts';

/** What `read` needs stays open for as long as `work` reads. */
export async function withUsage(settings: Config, work: (read: ReadUsage) => Promise<void>): Promise<void> {
  if (settings.redisUrl !== undefined) return askRedis(settings, settings.redisUrl, work);
  // Here and below, not above: each brings what the other does without.
  const { askGateway } = await import('./usage-of-gateway.ts');
  return askGateway(settings, work);
}

async function askRedis(settings: Config, redisUrl: string, work: (read: ReadUsage) => Promise<void>): Promise<void> {
  const [{ connectRedis }, { RedisLimiter }, { allUsage }] = await Promise.all([
    import('#limits/redis-connection.ts'),
    import('#limits/redis-limiter.ts'),
    import('#gateway/operations/usage.ts'),
  ]);
  const away = (cause: unknown): never => {
    throw new CommandFailure('Redis at REDIS_URL does not answer', { cause });
  };
  const { connection, close } = await connectRedis(redisUrl, settings.redisCa).catch(away);
  const limiter = new RedisLimiter(connection);
  const peek = (subject: string, limit: number) => limiter.peek(subject, limit).catch(away);
  try {
    await withDatabase(settings, (database) => work(() => allUsage(database, { peek })));
  } finally {
    close();
  }
}
