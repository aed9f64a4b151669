// Repositories: the calls of a batch as counts by day.
import { type CallCount, type CallEvent, dayOf } from '#core/events.ts';
import { type Caller, type Content, isRelated, nameOf, type Parties } from './callers.ts';
import type { DayRow } from './insertions.ts';

/**
 * Counts by day and group: the firm's own calls with valid keys, attempts with its keys, and calls that are not listed.
 */
export function dayRows(
  { calls, attempts, counts }: Content,
  keys: ReadonlyMap<string, Caller>,
  parties: Parties,
): DayRow[] {
  const groups = new Map<string, DayRow>();
  const add = (caller: Caller | undefined, call: Omit<CallCount, 'caller'>, unlisted: number) => {
    if (caller === undefined) return;
    const errorCode = call.errorCode ?? '';
    const name = `${caller.firmId} ${call.day} ${caller.keyId} ${call.endpoint} ${call.status} ${errorCode}`;
    const group = groups.get(name);
    if (group !== undefined) {
      group.calls += call.calls;
      group.unlisted += unlisted;
      return;
    }
    const { firmId, keyId } = caller;
    groups.set(name, { ...call, firmId, keyId, errorCode, unlisted });
  };
  const oneOf = ({ at, endpoint, status, errorCode }: CallEvent) => ({
    ...{ endpoint, status, errorCode, day: dayOf(at), calls: 1 },
  });
  for (const { event, listed } of calls)
    if (event.toolId === undefined) add(event, oneOf(event), listed || isRelated(event, parties) ? 0 : 1);
  for (const attempt of attempts) add(keys.get(nameOf(attempt.keyHash)), oneOf(attempt), 0);
  for (const { caller, ...count } of counts)
    add('keyHash' in caller ? keys.get(nameOf(caller.keyHash)) : caller, count, count.calls);
  return [...groups.values()];
}
