// Schema: calls of the portfolio API without any firm's key, by day.
import type { StrangerCount } from '#core/events.ts';
import { localDays } from '#core/local-days.ts';
import { DAYS, readDays } from '#gateway/consent/portal-arguments.ts';
import { strangerDays } from '#repositories/access-record/activity.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

interface StrangersShape {
  days: string[];
  counts: StrangerCount[];
}

const StrangerDay = builder.objectRef<StrangerCount>('StrangerDay').implement({
  description: "Calls without any firm's key on one day that were refused with one code.",
  fields: exposing('operations', {
    day: ['Date', 'UTC.'],
    errorCode: ['String', 'Code of the refusal.'],
    calls: ['Int'],
  }),
});

const Strangers = builder.objectRef<StrangersShape>('Strangers').implement({
  description: "Calls of the portfolio API without any firm's key. Only their number is recorded.",
  fields: exposing('operations', {
    days: ['[Date]', 'Every day from the first to today (UTC), including days without calls.'],
    counts: [[StrangerDay], 'Newest day first, then by code; only those with calls.'],
  }),
});

builder.queryField('strangers', (t) =>
  t.field({
    type: Strangers,
    authScopes: ofOperations,
    description: "Calls without any firm's key, by day and error code.",
    args: { days: t.arg.int({ description: DAYS }) },
    resolve: async (_root, { days: wanted }, { database }) => {
      const days = readDays(wanted);
      const [counts, now] = await Promise.all([strangerDays(database, days), readServerClock(database)]);
      return { days: localDays('UTC', now, days), counts };
    },
  }),
);
