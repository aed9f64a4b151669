// Schema: calls of the portfolio API without any firm's key, by day.
import type { UnauthenticatedCount } from '#core/events.ts';
import { localDays } from '#core/local-days.ts';
import { DAYS, readDays } from '#gateway/consent/portal-arguments.ts';
import { unauthenticatedCalls } from '#repositories/access-record/activity.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

interface CallsShape {
  days: string[];
  counts: UnauthenticatedCount[];
}

const UnauthenticatedDay = builder.objectRef<UnauthenticatedCount>('UnauthenticatedDay').implement({
  description: "Calls without any firm's key on one day that were refused with one code.",
  fields: exposing('operations', {
    day: ['Date', 'UTC.'],
    errorCode: ['String', 'Code of the refusal.'],
    calls: ['Int'],
  }),
});

const UnauthenticatedCalls = builder.objectRef<CallsShape>('UnauthenticatedCalls').implement({
  description: "Calls of the portfolio API without any firm's key. Only their number is recorded.",
  fields: exposing('operations', {
    days: ['[Date]', 'Every day from the first to today (UTC), including days without calls.'],
    counts: [[UnauthenticatedDay], 'Newest day first, then by code; only those with calls.'],
  }),
});

builder.queryField('unauthenticatedCalls', (t) =>
  t.field({
    type: UnauthenticatedCalls,
    authScopes: ofOperations,
    description: "Calls without any firm's key, by day and error code.",
    args: { days: t.arg.int({ description: DAYS }) },
    resolve: async (_root, { days: wanted }, { database }) => {
      const days = readDays(wanted);
      const [counts, now] = await Promise.all([unauthenticatedCalls(database, days), readServerClock(database)]);
      return { days: localDays('UTC', now, days), counts };
    },
  }),
);
