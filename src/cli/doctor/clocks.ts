// Doctor: whether the clocks of gateway, PostgreSQL and Redis agree.
import { type Clock, type ClockOffset, compareClocks, type ReadClock } from '#core/clock.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const SAMPLES = 5;
const NOTABLE_MS = 1_000;
/** The portal refuses steps that are ten seconds late, and times in responses are PostgreSQL's. */
const MAX_DIFFERENCE_MS = 5_000;

/** Relative to this machine's clock. */
interface Offset extends ClockOffset {
  name: string;
}

/**
 * Compares all clocks with each other, including this machine's. Differences that latency may explain are not reported.
 */
export async function examineClocks(clocks: Record<string, ReadClock>, own: Clock): Promise<Finding[]> {
  const offsets: Offset[] = [{ name: 'this machine', min: 0, max: 0 }];
  for (const [name, read] of Object.entries(clocks)) offsets.push(await measure(name, read, own));
  const findings: Finding[] = [];
  for (const [at, a] of offsets.entries())
    for (const b of offsets.slice(at + 1)) {
      const difference = Math.max(a.min - b.max, b.min - a.max);
      if (difference < NOTABLE_MS) continue;
      const found = `the clocks of ${a.name} and ${b.name} are ${(difference / 1_000).toFixed(1)} s apart`;
      const report = difference < MAX_DIFFERENCE_MS ? warning : wrong;
      findings.push(
        report('clocks', found, 'synchronise all machines with the same time servers (chrony, systemd-timesyncd)'),
      );
    }
  if (findings.length > 0) return findings;
  return [ok('clocks', `${offsets.map(({ name }) => name).join(', ')} agree within a second`)];
}

/** Of several samples, the quickest is the most precise. */
async function measure(name: string, read: ReadClock, own: Clock): Promise<Offset> {
  let best: Offset = { name, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < SAMPLES; sample++) {
    const offset = await compareClocks(read, own);
    if (offset.max - offset.min < best.max - best.min) best = { name, ...offset };
  }
  return best;
}
