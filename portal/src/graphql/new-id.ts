// GraphQL client: ids for new objects. Chosen by the client, so that the object can be looked up if the response is
// lost.
import { ulid } from 'ulid';
import { serverNow } from './server-clock.ts';

export const newId = (prefix: 'key' | 'grt'): string => `${prefix}_${ulid(serverNow())}`;
