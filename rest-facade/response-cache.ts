// REST facade: a cache of responses, for requests that would get the same one.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Disclosure } from '#core/disclosure.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import type { ActiveAdmission } from '#gateway/admission/admission.ts';
import type { PortfolioValue } from '#gateway/admission/admission-cache.ts';
import type { Query } from '#versions/change.ts';

const BYTES_PER_MB = 1_048_576;
/** Size of an entry in addition to its body and the characters of its name and links. */
const ENTRY_BYTES = 1_000;
/** A response is cached if its request is repeated within this many others. */
const MAX_REQUESTED_ONCE = 1_000;

export interface CachedResponse extends PortfolioValue {
  etag: string;
  link: string | undefined;
  body: Buffer;
  /** Position of the timestamp in the body; null if it has none. */
  stampAt: number | null;
  /** Unix second from which time alone makes the response outdated. */
  endsAt: number;
  /** The portfolio data in the response, which are the same for every recipient. */
  disclosure: Disclosure;
}

/** The request, independent of how it was written. */
export interface CacheKey {
  path: string;
  registryId: string | undefined;
  version: string;
  query: Query;
}

/**
 * Entries are keyed by view, version and request. An entry is used only if the database has confirmed, for that very
 * request, that neither the caller's admission nor the portfolio has changed since (admission-cache.ts). A firm's keys
 * with equal views share entries. Firms do not: how fast a response comes would tell a firm that another one has the
 * same access and uses it.
 */
export class ResponseCache {
  readonly #entries: LRUCache<string, CachedResponse> | null;
  #hits = 0;
  #misses = 0;
  readonly #requestedOnce = new LRUCache<string, true>({ max: MAX_REQUESTED_ONCE });
  readonly #views = new WeakMap<ActiveAdmission, string>();

  /** `maxMegabytes`: limit for all entries together; 0 disables the cache. */
  constructor(maxMegabytes: number) {
    this.#entries =
      maxMegabytes === 0
        ? null
        : new LRUCache({
            maxSize: maxMegabytes * BYTES_PER_MB,
            sizeCalculation: ({ body, link = '', disclosure: { items } }, name) =>
              body.length + 2 * name.length + link.length + (items?.length ?? 0) + ENTRY_BYTES,
          });
  }

  find(admission: ActiveAdmission, key: CacheKey): CachedResponse | undefined {
    return this.#entries?.get(this.#nameOf(admission, key));
  }

  /**
   * The name under which to cache the response if the request is repeated; null for the first one. So a walk through a
   * portfolio does not pay for caching, and does not evict responses to repeated requests.
   */
  nameToCache(admission: ActiveAdmission, key: CacheKey): string | null {
    if (this.#entries === null) return null;
    const name = this.#nameOf(admission, key);
    const digest = hash('sha1', name, 'base64url');
    if (this.#requestedOnce.has(digest)) return name;
    this.#requestedOnce.set(digest, true);
    return null;
  }

  /** Counts whether a cached response could be sent. */
  count(hit: boolean): void {
    if (hit) this.#hits += 1;
    else this.#misses += 1;
  }

  state(): { hits: number; misses: number; bytes: number; entries: number } {
    const { calculatedSize: bytes = 0, size: entries = 0 } = this.#entries ?? {};
    return { hits: this.#hits, misses: this.#misses, bytes, entries };
  }

  store(name: string, response: CachedResponse): void {
    this.#entries?.set(name, { ...response, body: unshared(response.body) });
  }

  #nameOf(admission: ActiveAdmission, { path, registryId = '', version, query }: CacheKey): string {
    const parameters = [...query].sort(([one], [other]) => (one < other ? -1 : 1));
    return `${this.#viewOf(admission)} ${JSON.stringify([version, path, registryId, parameters])}`;
  }

  /**
   * The firm, and all differences of admissions on which responses depend. The start of the view only affects deltas,
   * which are not cached.
   */
  #viewOf(admission: ActiveAdmission): string {
    return getOrInsert(this.#views, admission, () => {
      const { key, client, grant } = admission;
      const filter = hash('sha256', JSON.stringify(grant.filter), 'base64url');
      return `${key.firmId} ${client.id} ${client.reportingCurrency} ${key.scopes & grant.scopes} ${filter}`;
    });
  }
}

/**
 * Copies short bodies, since they are slices of 64 kB blocks that would stay allocated as long as one slice is cached.
 */
function unshared(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
