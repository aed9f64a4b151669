// Client: rows of the client's items, read page by page as they come into view.
import { type UseQueryOptions, type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useFailure } from '../../../components/page/states.tsx';
import { OwnItems, type OwnItemsQuery } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { keyOf, useRead } from '../../../graphql/hooks.ts';
import type { PorticoError } from '../../../graphql/portico-error.ts';

const PAGE = 100;

type ItemPage = OwnItemsQuery['body'];

export type OwnItem = ItemPage['nodes'][number];

export interface ItemQuery {
  search?: string;
  categories?: string[];
  /** Collection id. */
  collection?: string;
  /** Limits the list to these. */
  registryIds?: string[];
}

/** The set of items in a list, before any search. */
export type ItemBounds = Pick<ItemQuery, 'categories' | 'collection' | 'registryIds'>;

/** Visible rows, starting at 0, both inclusive. */
export interface View {
  first: number;
  last: number;
}

/**
 * `at(index)` is undefined while its page is loading, and null if that failed. Requests for pages that leave the view
 * are aborted.
 */
export function useItemRows(query: ItemQuery, { first, last }: View) {
  const head = useRead(OwnItems, { ...query, first: PAGE, page: 1 }, { keepPrevious: true });
  const total = head.data?.totalItems ?? 0;
  const settled = !head.isPlaceholderData && head.data !== undefined;
  const pages = useMemo(
    () => (settled ? pagesOf(first, Math.min(last, total - 1)) : []),
    [settled, first, last, total],
  );
  const rest = useQueries({
    queries: pages.map(
      (page): UseQueryOptions<ItemPage, PorticoError> => ({
        queryKey: keyOf(OwnItems, { ...query, first: PAGE, page }),
        queryFn: ({ signal }) => call(OwnItems, { ...query, first: PAGE, page }, { signal }),
        staleTime: 60_000,
      }),
    ),
  });
  const areRead = settled && [head, ...rest].every(({ isFetching, isError }) => !isFetching && !isError);
  useRereadOnChange(areRead && rest.some(({ data }) => data?.totalItems !== total));
  const at = (index: number): OwnItem | null | undefined => {
    const page = Math.floor(index / PAGE) + 1;
    const reading = page === 1 ? head : rest[pages.indexOf(page)];
    if (reading?.data !== undefined) return reading.data.nodes[index % PAGE];
    return reading?.error ? null : undefined;
  };
  const failed = [head, ...rest].filter(hasFailed);
  const failure = useFailure(failed[0] ?? head);
  return {
    at,
    total,
    failure: failed.length === 0 ? null : failure,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
    retrying: failed.some(({ isFetching }) => isFetching),
    waiting: head.isPlaceholderData,
    read: head.data !== undefined,
  };
}

/**
 * Reads all pages again if their totals differ once they are read, since items were added or removed between them: until
 * they agree again, rows may have no item.
 */
function useRereadOnChange(differ: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (differ) void client.invalidateQueries({ queryKey: [OwnItems.name] });
  }, [differ, client]);
}

/** Also during a retry. */
const hasFailed = ({ data, isPlaceholderData, errorUpdateCount }: UseQueryResult<ItemPage, PorticoError>): boolean =>
  (data === undefined || isPlaceholderData) && errorUpdateCount > 0;

/** Numbers of the pages with visible rows, except the first page. */
function pagesOf(first: number, last: number): number[] {
  const from = Math.max(1, Math.floor(first / PAGE));
  const to = Math.floor(last / PAGE);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index + 1);
}
