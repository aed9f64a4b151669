// Schema: a firm's activity: its calls by day, status, endpoint, key and error.
import { localDays } from '#core/local-days.ts';
import { explain } from '#core/outcome.ts';
import { ENVIRONMENTS } from '#core/principal.ts';
import { actorOf, requireUser } from '#gateway/consent/actor.ts';
import { DAYS, readDays, readZone, ZONE } from '#gateway/consent/portal-arguments.ts';
import { type Tally, tallyCalls } from '#repositories/access-record/activity.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { listFirmKeys } from '#repositories/keys/key-queries.ts';
import { builder, ofFirm } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposing } from '../../exposed.ts';
import { requireKey } from '../keys/key-list.ts';
import { COUNTS, type CallCounts as Counts, countsOf, grouped } from './call-counts.ts';

const CallCounts = builder.objectRef<Counts>('CallCounts').implement({
  description: 'Numbers of requests by outcome.',
  fields: exposing('firm', COUNTS),
});

const DayActivity = builder.objectRef<Counts & { day: string }>('DayActivity').implement({
  description: 'One day of requests.',
  fields: exposing('firm', { day: ['Date', 'A day in the requested time zone.'], ...COUNTS }),
});

const EndpointActivity = builder.objectRef<Counts & { endpoint: string }>('EndpointActivity').implement({
  description: 'Requests of one endpoint.',
  fields: exposing('firm', { endpoint: ['String', 'Method and route.'], ...COUNTS }),
});

interface OfKey extends Counts {
  keyId: string;
  name: string;
  environment: string;
}

const KeyActivity = builder.objectRef<OfKey>('KeyActivity').implement({
  description: 'Requests of one key.',
  fields: exposing('firm', {
    keyId: ['ID', 'The key that called.'],
    name: ['String', 'Its name.'],
    environment: ['String', `${either(ENVIRONMENTS)}.`],
    ...COUNTS,
  }),
});

const StatusActivity = builder.objectRef<{ status: number; requests: number }>('StatusActivity').implement({
  description: 'Requests answered with one status.',
  fields: exposing('firm', {
    status: ['Int', 'HTTP status.'],
    requests: COUNTS.requests,
  }),
});

interface OfError {
  code: string;
  status: number;
  message: string;
  requests: number;
}

const ErrorActivity = builder.objectRef<OfError>('ErrorActivity').implement({
  description: 'Requests answered with one error code.',
  fields: exposing('firm', {
    code: ['String', 'Code of the error.'],
    status: ['Int', 'HTTP status.'],
    message: ['String', 'Meaning of the code, as a sentence.'],
    requests: COUNTS.requests,
  }),
});

interface ActivityShape {
  tallies: Tally[];
  days: string[];
  keys: ReadonlyMap<string, { name: string; environment: string }>;
}

/** The tallies by day, which together contain every call once. */
const daily = (tallies: readonly Tally[]): Tally[] => tallies.filter(({ day }) => day !== null);

const Activity = builder.objectRef<ActivityShape>('Activity').implement({
  description:
    "Requests of a firm's keys over some days in a time zone. Includes requests that name no client, requests to no endpoint, and requests with a revoked or expired key.",
  fields: (t) => ({
    total: t.field({
      type: CallCounts,
      authScopes: ofFirm,
      description: 'All requests together.',
      resolve: ({ tallies }) => countsOf(daily(tallies)),
    }),
    unlisted: t.float({
      authScopes: ofFirm,
      description:
        'How many refused requests are only counted, not listed: of each key, a limited number per minute is listed.',
      resolve: ({ tallies }) => daily(tallies).reduce((sum, { unlisted }) => sum + unlisted, 0),
    }),
    days: t.field({
      type: [DayActivity],
      authScopes: ofFirm,
      description: 'Every day from the first to today, including days without requests.',
      resolve: ({ tallies, days }) => {
        const byDay = new Map(grouped(tallies, 'day').map(({ value, counts }) => [value, counts]));
        return days.map((day) => ({ day, ...(byDay.get(day) ?? countsOf([])) }));
      },
    }),
    byStatus: t.field({
      type: [StatusActivity],
      authScopes: ofFirm,
      description: 'By HTTP status, ascending.',
      resolve: ({ tallies }) =>
        Map.groupBy(daily(tallies), ({ status }) => status)
          .entries()
          .map(([status, of]) => ({ status, requests: countsOf(of).requests }))
          .toArray()
          .sort((one, other) => one.status - other.status),
    }),
    byEndpoint: t.field({
      type: [EndpointActivity],
      authScopes: ofFirm,
      description: 'By endpoint, most requests first.',
      resolve: ({ tallies }) =>
        grouped(tallies, 'endpoint').map(({ value, counts }) => ({ endpoint: value, ...counts })),
    }),
    byKey: t.field({
      type: [KeyActivity],
      authScopes: ofFirm,
      description: 'By key, most requests first.',
      resolve: ({ tallies, keys }) =>
        grouped(tallies, 'keyId').map(({ value, counts }) => {
          const { name = value, environment = '' } = keys.get(value) ?? {};
          return { keyId: value, name, environment, ...counts };
        }),
    }),
    byError: t.field({
      type: [ErrorActivity],
      authScopes: ofFirm,
      description: 'By error code, most requests first.',
      resolve: ({ tallies }) => grouped(tallies, 'errorCode').flatMap(errorOf),
    }),
  }),
});

/** Calls without an error, and those from before error codes were stored, belong to no code. */
function errorOf({ value, tallies, counts }: ReturnType<typeof grouped>[number]): OfError[] {
  const message = explain(value);
  const status = tallies[0]?.status;
  return message === null || status === undefined ? [] : [{ code: value, status, message, requests: counts.requests }];
}

builder.queryField('activity', (t) =>
  t.field({
    type: Activity,
    authScopes: ofFirm,
    description: "The firm's requests of the last days, counted.",
    args: {
      days: t.arg.int({ description: DAYS }),
      keyId: t.arg.id({ description: 'Only requests of this key.' }),
      zone: t.arg.string({ description: ZONE }),
    },
    resolve: async (_root, { days: wanted, keyId, zone: given }, context) => {
      const days = readDays(wanted);
      const zone = readZone(given);
      const { database, principal } = context;
      if (typeof keyId === 'string') await requireKey(context, keyId);
      const now = await readServerClock(database);
      const [tallies, keys] = await Promise.all([
        tallyCalls(database, requireUser(context), { days, keyId: keyId ?? null, zone, now }),
        listFirmKeys(database, actorOf(principal)),
      ]);
      return { tallies, days: localDays(zone, now, days), keys: new Map(keys.map((key) => [key.id, key])) };
    },
  }),
);
