// GraphQL client: operations in components.
import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { call } from './call.ts';
import type { Operation } from './operation.ts';
import type { PorticoError } from './portico-error.ts';

interface ReadOptions {
  /** False to delay the request. */
  enabled?: boolean;
  /** Polling interval in milliseconds; false for none. */
  every?: number | false;
  /** Whether to keep showing the previous result while one for other variables is loading. */
  keepPrevious?: boolean;
}

export const keyOf = <Variables>(operation: Operation<unknown, Variables>, variables: Variables) =>
  [operation.name, withShortLists(variables)] as const;

/** Longer lists are identified by reference: a key is serialised at every render, which is slow for 10,000 ids. */
const SPELLED_OUT = 100;
const lists = new WeakMap<readonly unknown[], string>();
let named = 0;

function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > SPELLED_OUT ? nameOf(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withShortLists(part)]));
}

function nameOf(list: readonly unknown[]): string {
  const name = lists.get(list) ?? `list ${++named}`;
  lists.set(list, name);
  return name;
}

/** Reads, and reads again after each action. */
export function useRead<Body, Variables>(
  operation: Operation<Body, Variables>,
  variables: Variables,
  { enabled = true, every = false, keepPrevious = false }: ReadOptions = {},
): UseQueryResult<Body, PorticoError> {
  return useQuery<Body, PorticoError>({
    queryKey: keyOf(operation, variables),
    queryFn: ({ signal }) => call(operation, variables, { signal }),
    enabled,
    refetchInterval: every,
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

interface Page<Row> {
  nodes: readonly Row[];
  nextCursor: string | null;
  totalItems?: number;
}

/** The loaded pages of a list. `rows` is null if none is loaded. */
export interface PagesReading<Row> {
  rows: readonly Row[] | null;
  /** Of the whole list, if the operation counts it. */
  total: number | null;
  error: PorticoError | null;
  refetch: () => Promise<unknown>;
  /** Whether the rows belong to the previous variables. */
  isPlaceholderData: boolean;
  /** The page after the loaded ones. */
  next: NextPage;
}

interface NextPage {
  exists: boolean;
  isReading: boolean;
  /** Why it could not be read; null during a retry. */
  error: PorticoError | null;
  read: () => void;
  /** For lists that load automatically: undefined while loading, and after a failure. */
  onNearEnd: (() => void) | undefined;
}

/** Reads page by page. The operation takes the cursor as `after`. */
export function usePages<Row, Variables extends { after?: string | null | undefined }>(
  operation: Operation<Page<Row>, Variables>,
  variables: Variables,
): PagesReading<Row> {
  const { data, error, refetch, isPlaceholderData, fetchNextPage, ...reading } = useInfiniteQuery<
    Page<Row>,
    PorticoError,
    { pages: Page<Row>[] },
    readonly unknown[],
    string | null
  >({
    queryKey: [...keyOf(operation, variables), 'pages'],
    queryFn: ({ pageParam, signal }) => call(operation, { ...variables, after: pageParam }, { signal }),
    initialPageParam: null,
    getNextPageParam: (last) => last.nextCursor,
    placeholderData: keepPreviousData,
    // A refetch would read all loaded pages again.
    refetchOnWindowFocus: false,
  });
  const rows = useMemo(() => data?.pages.flatMap(({ nodes }) => nodes) ?? null, [data]);
  const read = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const { hasNextPage: exists, isFetchingNextPage: isReading, isFetchNextPageError: failed } = reading;
  const next: NextPage = {
    exists,
    isReading,
    read,
    error: failed && !isReading ? error : null,
    onNearEnd: exists && !isReading && !failed ? read : undefined,
  };
  const { onNearEnd } = next;
  const isEmpty = rows?.length === 0;
  // The pages of a search may be empty and still have a next one.
  useEffect(() => {
    if (isEmpty) onNearEnd?.();
  }, [isEmpty, onNearEnd]);
  return { rows, total: data?.pages[0]?.totalItems ?? null, error, refetch, isPlaceholderData, next };
}
