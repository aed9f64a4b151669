// Schema: the use of a key by day and endpoint.
import { localDays } from '#core/local-days.ts';
import { readDays, readZone } from '#gateway/consent/portal-arguments.ts';
import type { Context } from '#gateway/execution/context.ts';
import { tallyKeyUse } from '#repositories/access-record/activity.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { type CallCounts, COUNTS, countsOf } from '../access-record/call-counts.ts';

interface UseOfDay extends CallCounts {
  day: string;
  endpoint: string;
}

const KeyUseOfDay = builder.objectRef<UseOfDay>('KeyUseOfDay').implement({
  description: 'Requests with a key to one endpoint on one day.',
  fields: exposing('firm', {
    day: ['Date', 'A day in the requested time zone.'],
    endpoint: ['String', 'Method and route.'],
    ...COUNTS,
  }),
});

interface Use {
  days: string[];
  counts: UseOfDay[];
}

export const KeyUse = builder.objectRef<Use>('KeyUse').implement({
  description: 'Requests with a key over some days in a time zone, including refused ones.',
  fields: exposing('firm', {
    days: ['[Date]', 'Every day from the first to today, including days without requests.'],
    counts: [[KeyUseOfDay], 'By day, then endpoint; only those with requests.'],
  }),
});

/** Throws Refusal `invalid_parameter`. */
export async function useOf(
  { database }: Context,
  { id, firmId }: { id: string; firmId: string },
  wanted: { days?: number | null | undefined; zone?: string | null | undefined },
): Promise<Use> {
  const [days, zone] = [readDays(wanted.days), readZone(wanted.zone)];
  const now = await readServerClock(database);
  const tallies = await tallyKeyUse(database, { firmId, keyId: id }, { days, zone, now });
  const counts = Map.groupBy(tallies, ({ day, endpoint }) => `${day} ${endpoint}`)
    .values()
    .flatMap((of) => of.slice(0, 1).map(({ day, endpoint }) => ({ day, endpoint, ...countsOf(of) })))
    .toArray();
  return { days: localDays(zone, now, days), counts };
}
