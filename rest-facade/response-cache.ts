// REST facade: responses as they were sent before, for requests that would be answered the same.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Disclosure } from '#core/disclosure.ts';
import type { ActiveAdmission } from '#gateway/admission/admission.ts';
import type { MadeOfPortfolio } from '#gateway/admission/admission-cache.ts';
import type { Query } from '#versions/change.ts';
import { STAMP } from './etag.ts';

const BYTES_PER_MB = 1_048_576;
/** What an entry takes beside its body and the characters of its name and links. */
const ENTRY_BYTES = 1_000;
/** Requests among which one must come again for its response to be kept. */
const MAX_ASKED_ONCE = 1_000;

export interface CachedResponse extends MadeOfPortfolio {
  etag: string;
  link: string | undefined;
  body: Buffer;
  /** Where in the body the instant stands at which it was true; null where it carries none. */
  stampAt: number | null;
  /** Unix second from which the clock alone makes it another. */
  endsAt: number;
  /** What it carries of the portfolio: the same for everybody who is sent it. */
  disclosure: Disclosure;
}

export interface AboutResponse extends Omit<CachedResponse, 'body' | 'stampAt'> {
  carriesStamp: boolean;
}

/** What is asked, however it was written. */
export interface AskedResponse {
  path: string;
  registryId: string | undefined;
  version: string;
  query: Query;
}

/**
 * By view, version and request. Nothing of it is used unless the database has said, in answer to the very request, that
 * neither the caller's admission nor the portfolio has changed since (admission-cache.ts). Views that show the same share
 * entries, whichever key they belong to.
 */
export class ResponseCache {
  readonly #entries: LRUCache<string, CachedResponse> | null;
  #hits = 0;
  #misses = 0;
  readonly #askedOnce = new LRUCache<string, true>({ max: MAX_ASKED_ONCE });
  readonly #views = new WeakMap<ActiveAdmission, string>();

  /** `maxMegabytes`: bound of all entries together; 0 keeps nothing. */
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

  find(admission: ActiveAdmission, asked: AskedResponse): CachedResponse | undefined {
    return this.#entries?.get(this.#nameOf(admission, asked));
  }

  /**
   * The name to keep the response under, where it is asked for a second time; null for the first: a walk through a portfolio
   * neither pays for it nor crowds out what others ask again and again.
   */
  nameToKeep(admission: ActiveAdmission, asked: AskedResponse): string | null {
    if (this.#entries === null) return null;
    const name = this.#nameOf(admission, asked);
    const digest = hash('sha1', name, 'base64url');
    if (this.#askedOnce.has(digest)) return name;
    this.#askedOnce.set(digest, true);
    return null;
  }

  /** Takes note of whether a response that was kept could be sent. */
  count(hit: boolean): void {
    if (hit) this.#hits += 1;
    else this.#misses += 1;
  }

  state(): { hits: number; misses: number; bytes: number; entries: number } {
    const { calculatedSize: bytes = 0, size: entries = 0 } = this.#entries ?? {};
    return { hits: this.#hits, misses: this.#misses, bytes, entries };
  }

  /** Keeps the body with what is said of it; `carriesStamp`: whether it says at which instant it was true. */
  keep(name: string, bytes: Buffer, { carriesStamp, ...about }: AboutResponse): void {
    const body = bytesOfItsOwn(bytes);
    const stampAt = carriesStamp ? placeOfStamp(body) : null;
    if (carriesStamp === (stampAt !== null)) this.#entries?.set(name, { ...about, body, stampAt });
  }

  #nameOf(admission: ActiveAdmission, { path, registryId = '', version, query }: AskedResponse): string {
    const parameters = [...query].sort(([one], [other]) => (one < other ? -1 : 1));
    return `${this.#viewOf(admission)} ${JSON.stringify([version, path, registryId, parameters])}`;
  }

  /** Everything by which the answers to two admissions may differ; when the view began decides of deltas alone. */
  #viewOf(admission: ActiveAdmission): string {
    let view = this.#views.get(admission);
    if (view === undefined) {
      const { key, client, grant } = admission;
      const filter = hash('sha256', JSON.stringify(grant.filter), 'base64url');
      view = `${client.id} ${client.reportingCurrency} ${key.scopes & grant.scopes} ${filter}`;
      this.#views.set(admission, view);
    }
    return view;
  }
}

/** Short bodies are cut from blocks of 64 kB, each of which stays as long as anything in it is kept. */
function bytesOfItsOwn(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Where the instant begins: after everything that could hold such text as data. */
function placeOfStamp(body: Buffer): number | null {
  const at = body.lastIndexOf(STAMP);
  return at === -1 ? null : at + STAMP.length;
}
