// GraphQL client: the id of something that a step makes. Chosen here, it can be asked about when the answer is lost.
import { ulid } from 'ulid';
import { serverNow } from './server-clock.ts';

export const newId = (prefix: 'key' | 'grt'): string => `${prefix}_${ulid(serverNow())}`;
