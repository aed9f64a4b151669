// Doctor: whether the clocks of gateway, PostgreSQL and Redis agree.
import { type Clock, type ClockOffset, compareClocks, type ReadClock } from '#core/clock.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const SAMPLES = 5;
const NOTABLE_MS = 1_000;
/** Steps in the portal are refused after ten seconds, and instants in answers are PostgreSQL's. */
const TOO_MUCH_MS = 5_000;

/** Compared with this machine's. */
interface Offset extends ClockOffset {
  name: string;
}

/** Compares each clock with this machine's, and with each other. What the way to a server may explain is not told. */
export async function examineClocks(clocks: Record<string, ReadClock>, own: Clock): Promise<Finding[]> {
  const offsets: Offset[] = [{ name: 'this machine', min: 0, max: 0 }];
  for (const [name, read] of Object.entries(clocks)) offsets.push(await measure(name, read, own));
  const findings: Finding[] = [];
  for (const [at, a] of offsets.entries())
    for (const b of offsets.slice(at + 1)) {
      const apart = Math.max(a.min - b.max, b.min - a.max);
      if (apart < NOTABLE_MS) continue;
      const found = `the clocks of ${a.name} and ${b.name} are ${(apart / 1_000).toFixed(1)} s apart`;
      const say = apart < TOO_MUCH_MS ? warning : wrong;
      findings.push(say('clocks', found, 'have all machines follow the same time servers (chrony, systemd-timesyncd)'));
    }
  if (findings.length > 0) return findings;
  return [ok('clocks', `${offsets.map(({ name }) => name).join(', ')} agree within a second`)];
}

/** Of several looks, the quickest says most. */
async function measure(name: string, read: ReadClock, own: Clock): Promise<Offset> {
  let best: Offset = { name, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < SAMPLES; sample++) {
    const offset = await compareClocks(read, own);
    if (offset.max - offset.min < best.max - best.min) best = { name, ...offset };
  }
  return best;
}
