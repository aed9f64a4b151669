// GraphQL client: the server's time, as its last answer told it, to the second.

let ahead = 0;

export function noteServerTime({ headers }: Response): void {
  const at = Date.parse(headers.get('Date') ?? '');
  if (!Number.isNaN(at)) ahead = at - Date.now();
}

/** Unix milliseconds. */
export const serverNow = (): number => Date.now() + ahead;
