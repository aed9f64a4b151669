// Schema: the groups by which a firm's calls are counted.
import { ENVIRONMENTS } from '#core/principal.ts';
import { builder } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposing } from '../../exposed.ts';
import { COUNTS, type CallCounts as Counts } from './call-counts.ts';

export const CallCounts = builder.objectRef<Counts>('CallCounts').implement({
  description: 'Numbers of requests by outcome.',
  fields: exposing('firm', COUNTS),
});

export const DayActivity = builder.objectRef<Counts & { day: string }>('DayActivity').implement({
  description: 'One day of requests.',
  fields: exposing('firm', { day: ['Date', 'A day in the requested time zone.'], ...COUNTS }),
});

export const EndpointActivity = builder.objectRef<Counts & { endpoint: string }>('EndpointActivity').implement({
  description: 'Requests of one endpoint.',
  fields: exposing('firm', { endpoint: ['String', 'Method and route.'], ...COUNTS }),
});

interface OfKey extends Counts {
  keyId: string;
  name: string;
  environment: string;
}

export const KeyActivity = builder.objectRef<OfKey>('KeyActivity').implement({
  description: 'Requests of one key.',
  fields: exposing('firm', {
    keyId: ['ID', 'The key that called.'],
    name: ['String', 'Its name.'],
    environment: ['String', `${either(ENVIRONMENTS)}.`],
    ...COUNTS,
  }),
});

export const StatusActivity = builder.objectRef<{ status: number; requests: number }>('StatusActivity').implement({
  description: 'Requests answered with one status.',
  fields: exposing('firm', {
    status: ['Int', 'HTTP status.'],
    requests: COUNTS.requests,
  }),
});

export interface OfError {
  code: string;
  status: number;
  message: string;
  requests: number;
}

export const ErrorActivity = builder.objectRef<OfError>('ErrorActivity').implement({
  description: 'Requests answered with one error code.',
  fields: exposing('firm', {
    code: ['String', 'Code of the error.'],
    status: ['Int', 'HTTP status.'],
    message: ['String', 'Meaning of the code, as a sentence.'],
    requests: COUNTS.requests,
  }),
});
