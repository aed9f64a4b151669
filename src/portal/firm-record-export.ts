// Portal: the record of the acts of a firm's members, as a file.
import type { Export } from './export.ts';

interface Entry {
  at: string;
  actor: { kind: string; name: string };
  actorId: string | null;
  group: string;
  action: string;
  subject: string | null;
  name: string | null;
  details: Record<string, unknown>;
  id: string;
}

export const firmRecordExport: Export<Entry> = {
  name: 'firm-record',
  operation: new URL('./operations/firm-record-export.graphql', import.meta.url),
  columns: [
    ['at', ({ at }) => at],
    ['actor', ({ actor }) => actor.name],
    ['actor_kind', ({ actor }) => actor.kind],
    ['actor_id', ({ actorId }) => actorId],
    ['group', ({ group }) => group],
    ['action', ({ action }) => action],
    ['subject', ({ subject }) => subject],
    ['name', ({ name }) => name],
    ['details', ({ details }) => JSON.stringify(details)],
    ['id', ({ id }) => id],
  ],
  filters: { since: 'since', until: 'until', group: 'group' },
  checkpoint: true,
  forms: ['csv', 'ndjson'],
};
