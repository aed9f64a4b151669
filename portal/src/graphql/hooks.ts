// GraphQL client: operations in components.
import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { call } from './call.ts';
import type { Operation } from './operation.ts';
import type { PorticoError } from './portico-error.ts';

interface ReadOptions {
  /** False: not asked yet. */
  enabled?: boolean;
  /** Milliseconds between looks at something that moves. */
  every?: number;
  /** Go on showing the last answer while another one, with other variables, is on its way. */
  keepPrevious?: boolean;
}

export const keyOf = <Variables>(operation: Operation<unknown, Variables>, variables: Variables) =>
  [operation.name, withShortLists(variables)] as const;

/** Longer lists are known by identity: a key is spelled out at every render, and 10,000 ids are felt. */
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

/** Reads, and reads again whenever a step says that it touched the operation. */
export function useRead<Body, Variables>(
  operation: Operation<Body, Variables>,
  variables: Variables,
  { enabled = true, every, keepPrevious = false }: ReadOptions = {},
): UseQueryResult<Body, PorticoError> {
  return useQuery<Body, PorticoError>({
    queryKey: keyOf(operation, variables),
    queryFn: ({ signal }) => call(operation, variables, { signal }),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

interface Page<Row> {
  nodes: readonly Row[];
  nextCursor: string | null;
  totalItems?: number;
}

/** What was read of a list so far; null where nothing was. */
export interface PagesReading<Row> {
  rows: readonly Row[] | null;
  /** Of the whole list, where the operation counts it. */
  total: number | null;
  error: PorticoError | null;
  refetch: () => Promise<unknown>;
  /** Whether the rows are those of other variables, which were asked for before. */
  isPlaceholderData: boolean;
  /** The page after those that were read. */
  next: NextPage;
}

interface NextPage {
  exists: boolean;
  isReading: boolean;
  /** Why it could not be read; null while it is being read again. */
  error: PorticoError | null;
  read: () => void;
  /** For lists that read on by themselves: not while it is being read, nor again where that failed. */
  onNearEnd: (() => void) | undefined;
}

/** Reads page after page. The operation takes the cursor as `after`. */
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
    // A long walk would be taken again page by page.
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
  return { rows, total: data?.pages[0]?.totalItems ?? null, error, refetch, isPlaceholderData, next };
}
