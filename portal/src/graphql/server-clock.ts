// GraphQL client: the server's time, according to its last response, exact to a second.

let ahead = 0;

export function noteServerTime({ headers }: Response): void {
  const at = Date.parse(headers.get('Date') ?? '');
  if (!Number.isNaN(at)) ahead = at - Date.now();
}

/** Unix milliseconds. */
export const serverNow = (): number => Date.now() + ahead;
