// Client: the partner's requests that a preview shows.

export type PreviewEndpoint = 'assets' | 'asset' | 'valuations' | 'documents' | 'summary';

export const PREVIEW_ENDPOINTS: readonly { value: PreviewEndpoint; label: string; ofItem: boolean }[] = [
  { value: 'assets', label: 'The list of items', ofItem: false },
  { value: 'asset', label: 'One item', ofItem: true },
  { value: 'valuations', label: 'Valuations of an item', ofItem: true },
  { value: 'documents', label: 'Papers of an item', ofItem: true },
  { value: 'summary', label: 'The portfolio summary', ofItem: false },
];

export const isOfItem = (endpoint: PreviewEndpoint): boolean =>
  PREVIEW_ENDPOINTS.some(({ value, ofItem }) => value === endpoint && ofItem);

interface Choice {
  endpoint: PreviewEndpoint;
  clientId: string;
  /** For endpoints of one item. */
  registryId: string | null;
}

/** Path and query as a partner sends them; null while the item is unknown. */
export function requestOf({ endpoint, clientId, registryId }: Choice): string | null {
  const client = `client_id=${clientId}`;
  if (endpoint === 'assets') return `/api/v1/assets?${client}`;
  if (endpoint === 'summary') return `/api/v1/portfolio/summary?${client}`;
  if (registryId === null) return null;
  const below = endpoint === 'asset' ? '' : `/${endpoint}`;
  return `/api/v1/assets/${registryId}${below}?${client}`;
}

/** The request for a page of the list. */
export const pageOf = (request: string, page: number): string => (page === 1 ? request : `${request}&page=${page}`);

interface ListBody {
  data?: { registry_id?: string }[];
  pagination?: { total_pages: number };
}

/** Facts about a list from its body; defaults for a refusal. */
export function listFacts(body: string | undefined): { firstItem: string | null; pages: number } {
  const { data, pagination } = (body === undefined ? {} : JSON.parse(body)) as ListBody;
  return { firstItem: data?.[0]?.registry_id ?? null, pages: pagination?.total_pages ?? 1 };
}
