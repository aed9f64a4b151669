// Tools: the fields of users.ndjson.
import { currency, email, id, name, oneOf } from '../readers.ts';
import type { Refuse, Row, RowShape } from '../rows.ts';

export const users = (): RowShape => ({
  fields: {
    id: { read: id('user'), type: 'text', required: true },
    email: { read: email, type: 'text', required: true },
    name: { read: name, type: 'text', required: true },
    role: { read: oneOf(['client', 'firm_member']), type: 'text', required: true },
    firm_id: { read: id('firm'), type: 'text' },
    environment: { read: oneOf(['sandbox', 'production']), type: 'text' },
    reporting_currency: { read: currency, type: 'text' },
  },
  complete: judgeRole,
});

const CLIENTS_OWN = ['environment', 'reporting_currency'];
const MEMBERS_OWN = ['firm_id'];

/** Clients belong to an environment, members to a firm; neither has what belongs to the other. */
function judgeRole(row: Row, refuse: Refuse, given: Row): void {
  if (row.role === undefined) return;
  const [own, others] = row.role === 'client' ? [CLIENTS_OWN, MEMBERS_OWN] : [MEMBERS_OWN, CLIENTS_OWN];
  for (const field of own) if ((given[field] ?? null) === null) refuse(field, `is required for a ${row.role}`);
  for (const field of others) if ((given[field] ?? null) !== null) refuse(field, `is not for a ${row.role}`);
}
