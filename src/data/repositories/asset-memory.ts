// Data room: assets as they were last read, so that what did not change need not be read and taken apart again.
import { Generations } from '#core/generations.ts';
import type { PortfolioView } from '#core/principal.ts';
import type { Asset } from './asset-row.ts';

/** The rows of a page, in their order. */
export interface KeptPage {
  /** Which items these are, at which revisions, and when: what the database compares. */
  state: string;
  assets: Asset[];
  /** The sort key of each. */
  keys: string[][];
}

/**
 * Nothing comes from here that the database has not just vouched for: each statement reads afresh which items the view
 * lets through and what their revisions are, and leaves their columns out only where that is what is kept here. The
 * revision moves with whatever a partner may notice of an item, its valuations and documents included, in the same
 * transaction.
 */
export class AssetMemory {
  readonly #pages: Generations<KeptPage>;
  readonly #children: Generations<{ revision: number; rows: unknown[] }>;

  /** `most`: assets at once, and as many times what belongs to one; 0 remembers nothing. */
  constructor(most: number) {
    this.#pages = new Generations(most);
    this.#children = new Generations(most);
  }

  /** The page as it was last read in this view; `query` names it. */
  findPage(view: PortfolioView, query: string): KeptPage | undefined {
    return this.#pages.get(nameOf(view, query));
  }

  keepPage(view: PortfolioView, query: string, page: KeptPage): void {
    if (!page.assets.some(changesByTheClock))
      this.#pages.set(nameOf(view, query), page, Math.max(page.assets.length, 1));
  }

  /** The rows that belong to the asset, where they are known at its revision. */
  findChildren<Row>(kind: string, { id, revision }: Pick<Asset, 'id' | 'revision'>): Row[] | undefined {
    const found = this.#children.get(kind + id);
    return found?.revision === revision ? (found.rows as Row[]) : undefined;
  }

  /** `revision`: as it was read with the rows. */
  keepChildren(kind: string, id: string, revision: number, rows: unknown[]): void {
    this.#children.set(kind + id, { revision, rows });
  }
}

/** With the scopes, which say what columns were read, and the currency, in which values were written. */
const nameOf = ({ scopes, reportingCurrency }: PortfolioView, query: string): string =>
  `${scopes} ${reportingCurrency} ${query}`;

/** A share link that ends makes its asset another without any transaction. */
function changesByTheClock({ estate }: Asset): boolean {
  return estate?.shareLinks.some(({ active, expiresAt }) => active && expiresAt !== null) ?? false;
}
