// A partner that maintains a copy of one grant's view by delta sync, as the documentation describes.

import { pathFor } from '#test/support/partner.ts';
import { call, type Key } from '#test/support/scenario.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely by tests.
type Asset = any;

export interface Walk {
  assets: Asset[];
  removed: { registry_id: string }[];
  sync: { as_of: string; full: boolean };
}

const INCLUDE = 'include=valuations,documents';

/** Follows `next` of the Link header to the end. Throws if an item appears twice. */
export async function walk(
  base: string,
  key: Key,
  clientId: string,
  query: string,
  betweenPages: () => Promise<void> = async () => {},
): Promise<Walk> {
  let path: string | undefined = pathFor(clientId, `/assets?${query}`);
  let first: Asset;
  const assets: Asset[] = [];
  const seen = new Set<string>();
  while (path !== undefined) {
    const { status, body, headers, text } = await call(base + path, key.secret);
    if (status !== 200) throw new Error(`a walk got ${status}: ${text}`);
    first ??= body;
    for (const asset of body.data) {
      if (seen.has(asset.registry_id)) throw new Error(`${asset.registry_id} appeared twice in one walk of ${query}`);
      seen.add(asset.registry_id);
      assets.push(asset);
    }
    path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (path !== undefined) await betweenPages();
  }
  return { assets, removed: first.removed ?? [], sync: first.sync };
}

export class PartnerCopy {
  readonly assets = new Map<string, Asset>();
  readonly #base: string;
  readonly #key: Key;
  readonly #clientId: string;
  readonly #pageSize: number;
  #asOf: string | null = null;
  syncs = 0;
  full = 0;

  constructor(base: string, key: Key, clientId: string, pageSize: number) {
    this.#base = base;
    this.#key = key;
    this.#clientId = clientId;
    this.#pageSize = pageSize;
  }

  /** One sync: all changes since the first page of the last one. */
  async sync(): Promise<void> {
    const since = this.#asOf === null ? '' : `&updated_since=${this.#asOf}`;
    const query = `page_size=${this.#pageSize}&${INCLUDE}${since}`;
    const { assets, removed, sync } = await walk(this.#base, this.#key, this.#clientId, query);
    if (sync.full) {
      this.assets.clear();
      this.full += 1;
    }
    for (const { registry_id } of removed) this.assets.delete(registry_id);
    for (const asset of assets) this.assets.set(asset.registry_id, asset);
    this.#asOf = sync.as_of;
    this.syncs += 1;
  }

  /** The present view, read as a whole. */
  async truth(): Promise<Map<string, Asset>> {
    const { assets } = await walk(this.#base, this.#key, this.#clientId, `page_size=100&${INCLUDE}`);
    return new Map(assets.map((asset) => [asset.registry_id, asset]));
  }
}
