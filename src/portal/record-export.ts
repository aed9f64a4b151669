// Portal: a client's access record as a file.
import type { Export } from './export.ts';

/** Heading → value of an entry. */
const COLUMNS: Export<Entry>['columns'] = [
  ['at', ({ at }) => at],
  ['firm', ({ firmName }) => firmName],
  ['key', ({ keyName }) => keyName],
  ['environment', ({ environment }) => environment],
  ['endpoint', ({ endpoint }) => endpoint],
  ['registry_id', ({ registryId }) => registryId],
  ['item', ({ itemTitle }) => itemTitle],
  ['scopes', ({ scopes }) => scopes],
  ['outcome', ({ outcome }) => outcome],
  ['status', ({ status }) => status],
  ['error_code', ({ errorCode }) => errorCode],
  ['error', ({ errorMessage }) => errorMessage],
  ['request_id', ({ requestId }) => requestId],
  ['firm_id', ({ firmId }) => firmId],
  ['key_id', ({ keyId }) => keyId],
  ['tool_role', ({ toolRole }) => toolRole],
  ['tool_id', ({ toolId }) => toolId],
  ['contents', ({ contents }) => contents],
  ['items', ({ items }) => items && idsOf(items)],
  ['removed_items', ({ removedItems }) => idsOf(removedItems)],
  ['disclosed_scopes', ({ disclosed }) => disclosed],
  ['includes', ({ includes }) => includes],
  ['version', ({ version }) => version],
];

const idsOf = (items: readonly { registryId: string }[]): string[] => items.map(({ registryId }) => registryId);

/** Query parameter → variable. */
const FILTERS: Record<string, string> = {
  since: 'since',
  until: 'until',
  firm_id: 'firmId',
  key_id: 'keyId',
  endpoint: 'endpoint',
  outcome: 'outcome',
  registry_id: 'registryId',
};

interface Entry {
  at: string;
  firmName: string;
  keyName: string;
  environment: string;
  endpoint: string;
  registryId: string | null;
  itemTitle: string | null;
  scopes: string[];
  outcome: string;
  status: number;
  errorCode: string | null;
  errorMessage: string | null;
  requestId: string;
  firmId: string;
  keyId: string;
  toolRole: string | null;
  toolId: string | null;
  contents: string;
  items: { registryId: string }[] | null;
  removedItems: { registryId: string }[];
  disclosed: string[] | null;
  includes: string[] | null;
  version: string | null;
}

export const recordExport: Export<Entry> = {
  name: 'access-record',
  operation: new URL('./operations/access-record-export.graphql', import.meta.url),
  columns: COLUMNS,
  filters: FILTERS,
  checkpoint: true,
  forms: ['csv', 'json', 'ndjson'],
};
