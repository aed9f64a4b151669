// REST facade: representations that callers hold, so that "not modified" need not be found out by reading them again.
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { PortfolioView } from '#core/principal.ts';
import { type Admission, admitPartner } from '#gateway/admission/admission.ts';
import { matches } from './etag.ts';

/** A representation as it was when its tag was last found to hold. */
export interface Held {
  tag: string;
  /** The Link header that belongs to it. */
  link: string | undefined;
  /** What it was made for, and of which edition of the portfolio. */
  view: PortfolioView;
}

const MOST = 10_000;
/** Characters of all names together; ten times what requests usually come to. */
const MAX_NAMED = 20_000_000;

/**
 * Kept by key, version and URL, for callers that ask conditionally. Whether one still holds is for the database to say,
 * in the statement that admits the caller: a revocation, another view, any change of the portfolio or of reference
 * rows, and midnight, end it at once.
 */
export class Revalidation {
  readonly #held = new LRUCache<string, Held>({
    max: MOST,
    maxSize: MAX_NAMED,
    sizeCalculation: (_held, name) => name.length,
  });

  /** What the caller seems to hold: undefined where it does not ask, null where nothing is known. */
  find(key: Buffer | null, request: FastifyRequest): Held | null | undefined {
    if (key === null || request.headers['if-none-match'] === undefined) return undefined;
    return this.#held.get(nameOf(key, request)) ?? null;
  }

  /** Whether it still is what the caller would get. Throws Refusal where the caller would be refused by now. */
  confirm(held: Held, { headers }: FastifyRequest, admission: Admission): boolean {
    const { view } = admitPartner(admission);
    return isSame(view, held.view) && matches(headers['if-none-match'], held.tag);
  }

  /** Remembers what was just found to be held, unless it changes by the clock alone. */
  keep(
    key: Buffer | null,
    request: FastifyRequest,
    admission: Admission,
    representation: Pick<Held, 'tag' | 'link'>,
    body: unknown,
  ): void {
    const { view } = admitPartner(admission);
    if (key === null || view.edition === null || changesByTheClock(body)) return;
    this.#held.set(nameOf(key, request), { ...representation, view });
  }
}

/** A key's hash always has the same length, and neither version nor URL has a line end. */
function nameOf(key: Buffer, { headers, url }: FastifyRequest): string {
  return `${key.toString('latin1')}${headers['x-service-version']}\n${url}`;
}

/** Views of one edition that show the same. */
function isSame(one: PortfolioView, other: PortfolioView): boolean {
  return (
    one.edition === other.edition &&
    one.clientId === other.clientId &&
    one.reportingCurrency === other.reportingCurrency &&
    one.scopes === other.scopes &&
    one.changedAt === other.changedAt &&
    (one.filter === other.filter || JSON.stringify(one.filter) === JSON.stringify(other.filter))
  );
}

/** A share link ends at an instant; everything else changes by transactions or at midnight. */
function changesByTheClock(body: unknown): boolean {
  return /"expires_at":"[^"]+","active":true/.test(JSON.stringify(body));
}
