// Schema: pages: REST pagination and Relay connections over the same slice of rows.

import type { WalkedSync } from '#core/cursor.ts';
import type { PageRequest } from '#gateway/paging/paging.ts';
import type { Page } from '#repositories/assets/assets.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

export interface Pagination {
  page: number;
  pageSize: number;
  totalItems: number;
  totalPages: number;
  hasMore: boolean;
  nextCursor: string | null;
}

export interface Edge<Node> {
  cursor: string;
  node: Node;
}

export interface Connection<Node> {
  nodes: Node[];
  edges: Edge<Node>[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  pagination: Pagination;
}

/** A page of rows with its cursors. `sync` is passed on in every cursor of a delta walk. */
export class PageConnection<Node> implements Connection<Node> {
  readonly nodes: Node[];
  readonly #page: Page<Node>;
  readonly #request: PageRequest;
  readonly #sync: WalkedSync | undefined;
  #pagination: Pagination | undefined;

  constructor(page: Page<Node>, request: PageRequest, sync?: WalkedSync) {
    this.nodes = page.nodes;
    this.#page = page;
    this.#request = request;
    this.#sync = sync;
  }

  #cursorAt(index: number): string | null {
    const after = this.#page.keys[index];
    if (after === undefined) return null;
    const position = { page: this.#request.page + 1, after };
    const { cursors, of } = this.#request;
    return cursors.encode(this.#sync === undefined ? position : { ...position, sync: this.#sync }, of);
  }

  get edges(): Edge<Node>[] {
    return this.nodes.map((node, index) => ({ node, cursor: this.#cursorAt(index) ?? '' }));
  }

  get pageInfo() {
    return {
      hasNextPage: this.#page.hasMore,
      hasPreviousPage: this.#request.page > 1,
      startCursor: this.#cursorAt(0),
      endCursor: this.#cursorAt(this.nodes.length - 1),
    };
  }

  /** Computed once, since compiled operations read a property several times. */
  get pagination(): Pagination {
    this.#pagination ??= this.#paginate();
    return this.#pagination;
  }

  #paginate(): Pagination {
    const { total, hasMore } = this.#page;
    const { page, slice } = this.#request;
    return {
      page,
      pageSize: slice.size,
      totalItems: total,
      totalPages: Math.ceil(total / slice.size),
      hasMore,
      nextCursor: hasMore ? this.#cursorAt(this.nodes.length - 1) : null,
    };
  }
}

export const Pagination = builder.objectRef<Pagination>('Pagination').implement({
  description: 'Position of a page in its list.',
  fields: exposing('portfolio', {
    page: ['Int', 'Number of this page, from 1.'],
    pageSize: ['Int', 'Rows asked for per page.'],
    totalItems: ['Int', 'Rows of the whole list.'],
    totalPages: ['Int', '0 if there are no rows.'],
    hasMore: ['Boolean', 'Whether rows follow.'],
    nextCursor: ['String?', 'Opaque position of the page that follows; null on the last one.'],
  }),
});

export const PageInfo = builder.objectRef<Connection<unknown>['pageInfo']>('PageInfo').implement({
  description: "Relay's page information.",
  fields: exposing('portfolio', {
    hasNextPage: ['Boolean'],
    hasPreviousPage: ['Boolean'],
    startCursor: ['String?'],
    endCursor: ['String?'],
  }),
});

const FIRST = { description: 'Rows per page, 1 to 100; 25 by default.' };

/** Arguments of lists with cursors only. */
export const WALK_ARGS = builder.args((t) => ({
  first: t.int(FIRST),
  after: t.string({ description: 'Cursor of the row before the page.' }),
}));

/** Arguments of lists that also have page numbers. */
export const PAGE_ARGS = {
  ...WALK_ARGS,
  ...builder.args((t) => ({ page: t.int({ description: 'Page number, from 1; not together with `after`.' }) })),
};

/** Arguments of lists with page numbers only. */
export const NUMBERED_PAGE_ARGS = builder.args((t) => ({
  first: t.int(FIRST),
  page: t.int({ description: 'Page number, from 1.' }),
}));

/** For lists with cursors only. */
export const NEXT_CURSOR = {
  nextCursor: ['String?', 'Position of the page that follows; null on the last one.'],
} as const;

/** Option of a connection's rows: the field of the connection has already multiplied the cost by their number. */
export const COUNTED = { extensions: { multiplier: 1 } };
