// Command line: limits in use, from Redis or else from the running gateway.
import type { Config } from '#src/config.ts';
import { CommandFailure } from './host.ts';
import { withDatabase } from './session.ts';
import type { ReadUsage } from './usage-of-gateway.ts';

/** Keeps what `read` needs open while `work` runs. */
export async function withUsage(settings: Config, work: (read: ReadUsage) => Promise<void>): Promise<void> {
  if (settings.redisUrl !== undefined) return readFromRedis(settings, settings.redisUrl, work);
  // Imported here and below because each needs modules that the other does not.
  const { readFromGateway } = await import('./usage-of-gateway.ts');
  return readFromGateway(settings, work);
}

async function readFromRedis(
  settings: Config,
  redisUrl: string,
  work: (read: ReadUsage) => Promise<void>,
): Promise<void> {
  const [{ connectRedis }, { RedisLimiter }, { fleetOf }, { allUsage }, { readCursorKey }] = await Promise.all([
    import('#limits/redis-connection.ts'),
    import('#limits/redis-limiter.ts'),
    import('#limits/fleet.ts'),
    import('#gateway/operations/usage.ts'),
    import('#repositories/reference.ts'),
  ]);
  const away = (cause: unknown): never => {
    throw new CommandFailure('Redis at REDIS_URL does not answer', { cause });
  };
  const { connection, close } = await connectRedis(redisUrl, settings.redisCa).catch(away);
  try {
    await withDatabase(settings, async (database) => {
      const limiter = new RedisLimiter(connection, fleetOf(await readCursorKey(database)));
      const peek = (subject: string, limit: number) => limiter.peek(subject, limit).catch(away);
      await work(() => allUsage(database, { peek }));
    });
  } finally {
    close();
  }
}
