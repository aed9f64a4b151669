// Portal: notices in calls what people are told of: a grant's first use, and limits that are nearly or quite reached.
import type { AccessEvent, Events, RequestEvent } from '#core/events.ts';
import type { LimitPressure, Notices } from '#gateway/notices/notices.ts';

/** Names that are remembered, so that the database is told of each once; forgetting one costs a statement. */
const MAX_KNOWN = 50_000;

/**
 * Gathers from `events`. `save` tells the database what is new; what fails is told again at the next call. What a process
 * that is killed has not told yet, the next such call tells.
 */
export function startNoticing(events: Events, notices: Notices): { save(): Promise<void>; close(): void } {
  const known = new Set<string>();
  let uses: { grantId: string; at: string }[] = [];
  let pressures: LimitPressure[] = [];

  const isNew = (name: string): boolean => {
    if (known.has(name)) return false;
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(name);
    return true;
  };
  const onAccess = ({ grantId, status, at, toolId }: AccessEvent) => {
    if (grantId === undefined || toolId !== undefined || status >= 400 || !isNew(grantId)) return;
    uses.push({ grantId, at });
  };
  const onRequest = ({ key, pressure }: RequestEvent) => {
    if (key === null || pressure === null) return;
    const at = new Date().toISOString();
    if (isNew(`${at.slice(0, 10)} ${pressure.refused} ${key.id}`)) pressures.push({ keyId: key.id, at, ...pressure });
  };
  events.on('access', onAccess);
  events.on('request', onRequest);

  return {
    async save() {
      const [newUses, newPressures] = [uses, pressures];
      if (newUses.length > 0) await notices.tellFirstUses(newUses);
      uses = uses.slice(newUses.length);
      if (newPressures.length > 0) await notices.tellLimits(newPressures);
      pressures = pressures.slice(newPressures.length);
    },
    close() {
      events.off('access', onAccess);
      events.off('request', onRequest);
    },
  };
}
