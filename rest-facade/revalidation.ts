// REST facade: representations that callers hold, so that "not modified" need not be found out by reading them again.
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Edition, PortfolioView } from '#core/principal.ts';
import { type Admission, admitPartner } from '#gateway/admission.ts';
import { matches } from './etag.ts';

/** A representation as it was when its tag was last found to hold. */
export interface Held {
  tag: string;
  /** The Link header that belongs to it. */
  link: string | undefined;
  /** What it was made for. */
  view: string;
  /** The edition of the portfolio that it was made from. */
  edition: Edition;
}

const MOST = 10_000;

/**
 * Kept by key, version and URL, for callers that ask conditionally. Whether one still holds is for the database to say,
 * in the statement that reads the key afresh: a revocation, another view, any change of the portfolio or of reference
 * rows, and midnight, end it at once.
 */
export class Revalidation {
  readonly #held = new LRUCache<string, Held>({ max: MOST });

  /** What the caller seems to hold: undefined where it does not ask, null where nothing is known. */
  find(request: FastifyRequest): Held | null | undefined {
    return request.headers['if-none-match'] === undefined ? undefined : (this.#held.get(nameOf(request)) ?? null);
  }

  /** Whether it still is what the caller would get. Throws Refusal where the caller would be refused by now. */
  confirm(held: Held, { headers }: FastifyRequest, admission: Admission): boolean {
    const { view } = admitPartner(admission);
    return view.edition === held.edition && viewName(view) === held.view && matches(headers['if-none-match'], held.tag);
  }

  /** Remembers what was just found to be held, unless it changes by the clock alone. */
  keep(request: FastifyRequest, admission: Admission, representation: Pick<Held, 'tag' | 'link'>, body: unknown): void {
    const { view } = admitPartner(admission);
    if (view.edition === null || changesByTheClock(body)) return;
    this.#held.set(nameOf(request), { ...representation, view: viewName(view), edition: view.edition });
  }
}

function nameOf({ headers, url }: FastifyRequest): string {
  return hash('sha256', `${headers.authorization}\n${headers['x-service-version']}\n${url}`, 'base64');
}

function viewName({ clientId, reportingCurrency, scopes, filter, changedAt }: PortfolioView): string {
  return JSON.stringify([clientId, reportingCurrency, scopes, filter, changedAt]);
}

/** A share link ends at an instant; everything else changes by transactions or at midnight. */
function changesByTheClock(body: unknown): boolean {
  return /"expires_at":"[^"]+","active":true/.test(JSON.stringify(body));
}
