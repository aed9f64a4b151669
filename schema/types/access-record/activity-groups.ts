// Schema: what a firm's calls are counted by.
import { builder, ofFirm } from '../../builder.ts';
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
    keyId: t.expose('keyId', { type: 'ID', authScopes: ofFirm, description: 'The key that called.' }),
    name: t.exposeString('name', { authScopes: ofFirm, description: 'Its name.' }),
    environment: t.exposeString('environment', { authScopes: ofFirm, description: 'sandbox or production.' }),
    ...countFields(t),
  }),
});

export const StatusActivity = builder.objectRef<{ status: number; requests: number }>('StatusActivity').implement({
  description: 'Requests that ended with one status.',
  fields: (t) => ({
    status: t.exposeInt('status', { authScopes: ofFirm, description: 'HTTP status.' }),
    requests: t.exposeFloat('requests', { authScopes: ofFirm, description: COUNTS.requests }),
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
  fields: (t) => ({
    code: t.exposeString('code', { authScopes: ofFirm, description: 'Code of the error.' }),
    status: t.exposeInt('status', { authScopes: ofFirm, description: 'HTTP status.' }),
    message: t.exposeString('message', { authScopes: ofFirm, description: 'What it means, in a sentence.' }),
    requests: t.exposeFloat('requests', { authScopes: ofFirm, description: COUNTS.requests }),
  }),
});
