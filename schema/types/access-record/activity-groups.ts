// Schema: what a firm's calls are counted by.
import { builder, ofFirm } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { COUNTS, type CallCounts as Counts, countFields } from './call-counts.ts';

export const CallCounts = builder.objectRef<Counts>('CallCounts').implement({
  description: 'How many requests, and how they ended.',
  fields: (t) => countFields(t),
});

export const DayActivity = builder.objectRef<Counts & { day: string }>('DayActivity').implement({
  description: 'One day of requests.',
  fields: (t) => ({
    day: t.expose('day', { type: 'Date', authScopes: ofFirm, description: 'Of the place.' }),
    ...countFields(t),
  }),
});

export const EndpointActivity = builder.objectRef<Counts & { endpoint: string }>('EndpointActivity').implement({
  description: 'Requests of one endpoint.',
  fields: (t) => ({
    endpoint: t.exposeString('endpoint', { authScopes: ofFirm, description: 'Method and route.' }),
    ...countFields(t),
  }),
});

interface OfKey extends Counts {
  keyId: string;
  name: string;
  environment: string;
}

export const KeyActivity = builder.objectRef<OfKey>('KeyActivity').implement({
  description: 'Requests of one key.',
  fields: (t) => ({
    ...exposed(t, 'firm', {
      keyId: ['ID', 'The key that called.'],
      name: ['String', 'Its name.'],
      environment: ['String', 'sandbox or production.'],
    }),
    ...countFields(t),
  }),
});

export const StatusActivity = builder.objectRef<{ status: number; requests: number }>('StatusActivity').implement({
  description: 'Requests that ended with one status.',
  fields: exposing('firm', {
    status: ['Int', 'HTTP status.'],
    requests: ['Float', COUNTS.requests],
  }),
});

export interface OfError {
  code: string;
  status: number;
  message: string;
  requests: number;
}

export const ErrorActivity = builder.objectRef<OfError>('ErrorActivity').implement({
  description: 'Requests that ended with one error.',
  fields: exposing('firm', {
    code: ['String', 'Code of the error.'],
    status: ['Int', 'HTTP status.'],
    message: ['String', 'What it means, in a sentence.'],
    requests: ['Float', COUNTS.requests],
  }),
});
