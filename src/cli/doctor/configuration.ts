// Doctor: settings that are valid, but unusual for a deployment.
import type { Config } from '#src/config.ts';
import { examining, type Finding } from './finding.ts';

const LOOPBACK = /^(127\.|::1$|localhost$)/;

export function examineConfiguration(config: Config): Finding[] {
  const { warning, wrong, orOk } = examining('configuration');
  const open = config.trustProxy.filter((range) => range.endsWith('/0'));
  if (open.length > 0)
    wrong(
      `TRUST_PROXY trusts every address (${open.join(', ')}): callers can claim any address`,
      'set TRUST_PROXY to the addresses of your proxies',
    );
  if (config.databaseUrl !== undefined) {
    if (config.redisUrl === undefined)
      warning('limits are local to each process: two gateways would admit twice as much', 'set REDIS_URL');
    if (config.revocationJournal === undefined)
      warning(
        'without REVOCATION_JOURNAL a restored or promoted database is served only after "portico restore"',
        'set REVOCATION_JOURNAL to a file on a disk other than that of the database',
      );
    if (!config.production)
      warning('NODE_ENV is not "production": GraphiQL is on the internal listener', 'set NODE_ENV=production');
  }
  if (config.production) {
    if (config.databaseUrl === undefined)
      warning(`the database is the embedded one in ${config.dataDirectory}`, 'set DATABASE_URL');
    if (config.portalUrl === undefined)
      warning('PORTAL_URL is not set: links contain the host name that the browser sent', 'set PORTAL_URL');
    if (LOOPBACK.test(config.host))
      warning(`HOST is ${config.host}: only this machine reaches the gateway`, 'set HOST, for instance to 0.0.0.0');
    if (config.drainDelayMs === 0)
      warning(
        'DRAIN_DELAY_MS is 0: a stopping gateway may refuse connections that a balancer still sends',
        'set DRAIN_DELAY_MS to more than the time in which the balancer notices that a gateway is not ready',
      );
  }
  return orOk('nothing to improve');
}
