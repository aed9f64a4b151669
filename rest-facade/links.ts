// REST facade: the Link header of a page.

export interface PaginationBody {
  page: number;
  total_pages: number;
  next_cursor: string | null;
}

/** `first`, `prev` and `last` by page number, `next` by cursor. Targets are paths on this host. */
export function linkHeader(
  path: string,
  query: ReadonlyMap<string, readonly string[]>,
  pagination: PaginationBody,
): string {
  // Sorted, so that equivalent requests have the same links.
  const others = [...query]
    .map(([key, [text = '']]): [string, string] => [key, text])
    .filter(([key]) => key !== 'page' && key !== 'cursor')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const start = `<${path}?${new URLSearchParams(others)}`;
  // Numbers, and cursors in base64url, need no escaping.
  const target = (name: string, value: string | number) => `${start}&${name}=${value}>`;
  const { page, total_pages: pages, next_cursor: next } = pagination;
  const links = [`${target('page', 1)}; rel="first"`];
  // Beyond the last page, `prev` leads to the last page with rows.
  const previous = Math.min(page - 1, pages);
  if (previous > 0) links.push(`${target('page', previous)}; rel="prev"`);
  if (next !== null) links.push(`${target('cursor', next)}; rel="next"`);
  links.push(`${target('page', Math.max(pages, 1))}; rel="last"`);
  return links.join(', ');
}
