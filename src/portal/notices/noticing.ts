// Portal: detects notices in calls: a grant's first use, and limits that are nearly or fully reached.
import type { AccessEvent, Events, RequestEvent } from '#core/events.ts';
import type { NearLimit, Notices } from '#gateway/notices/notices.ts';

/** Number of remembered names, each of which is reported to the database once. Forgetting one only costs a statement. */
const MAX_REPORTED = 50_000;

/**
 * Collects from `events`. `save` reports new ones to the database, and retries failed ones at its next call. If the
 * process dies, the next such call of the same kind is reported instead.
 */
export function startNoticing(events: Events, notices: Notices): { save(): Promise<void>; close(): void } {
  const reported = new Set<string>();
  const uses: { grantId: string; at: string }[] = [];
  const nearLimits: NearLimit[] = [];

  const isNew = (name: string): boolean => {
    if (reported.has(name)) return false;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.add(name);
    return true;
  };
  const onAccess = ({ grantId, status, at, toolId }: AccessEvent) => {
    if (grantId === undefined || toolId !== undefined || status >= 400 || !isNew(grantId)) return;
    uses.push({ grantId, at });
  };
  const onRequest = ({ key, nearLimit }: RequestEvent) => {
    if (key === null || nearLimit === null) return;
    const at = new Date().toISOString();
    if (isNew(`${at.slice(0, 10)} ${nearLimit.refused} ${key.id}`))
      nearLimits.push({ keyId: key.id, at, ...nearLimit });
  };
  events.on('access', onAccess);
  events.on('request', onRequest);

  return {
    async save() {
      await sendWaiting(uses, notices.notifyFirstUses);
      await sendWaiting(nearLimits, notices.notifyNearLimits);
    },
    close() {
      events.off('access', onAccess);
      events.off('request', onRequest);
    },
  };
}

/** Removes from `waiting` what has been sent: not what arrived meanwhile, and nothing after a failure. */
async function sendWaiting<Item>(waiting: Item[], send: (items: readonly Item[]) => Promise<void>): Promise<void> {
  const items = [...waiting];
  if (items.length === 0) return;
  await send(items);
  waiting.splice(0, items.length);
}
