// GraphQL client: operations in components.
import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
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

/** Reads, and reads again whenever a mutation says that it touched the operation. */
export function useRead<Body, Variables>(
  operation: Operation<Body, Variables>,
  variables: Variables,
  { enabled = true, every, keepPrevious = false }: ReadOptions = {},
): UseQueryResult<Body, PorticoError> {
  return useQuery<Body, PorticoError>({
    queryKey: keyOf(operation, variables),
    queryFn: ({ signal }) => call(operation, variables, signal),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

interface Page {
  nextCursor: string | null;
}

/** Reads page after page; `pageOf` says where the body keeps its cursor. The operation takes the cursor as `after`. */
export function usePages<Body, Variables extends { after?: string | null | undefined }>(
  operation: Operation<Body, Variables>,
  variables: Variables,
  pageOf: (body: Body) => Page,
) {
  return useInfiniteQuery<Body, PorticoError, { pages: Body[] }, readonly unknown[], string | null>({
    queryKey: [...keyOf(operation, variables), 'pages'],
    queryFn: ({ pageParam, signal }) => call(operation, { ...variables, after: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: (last) => pageOf(last).nextCursor,
    placeholderData: keepPreviousData,
    // A long walk would be taken again page by page.
    refetchOnWindowFocus: false,
  });
}

interface StepOptions<Body> {
  /** Operations whose answers this mutation makes stale. */
  touches: readonly Operation<unknown, never>[];
  onDone?: (body: Body) => void;
}

/** Runs a mutation. Its error is shown where it was started. */
export function useMutate<Body, Variables>(
  operation: Operation<Body, Variables>,
  { touches, onDone }: StepOptions<Body>,
): UseMutationResult<Body, PorticoError, Variables> {
  const client = useQueryClient();
  return useMutation<Body, PorticoError, Variables>({
    mutationFn: (variables) => call(operation, variables),
    onSuccess: async (body) => {
      onDone?.(body);
      await Promise.all(touches.map(({ name }) => client.invalidateQueries({ queryKey: [name] })));
    },
  });
}
