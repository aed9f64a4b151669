// GraphQL client: the user as which this tab acts. The server refuses calls that name another user than the session's.

let userId: string | null = null;

/** Null means unknown: calls then apply to any signed-in user. */
export function noteActingAs(id: string | null): void {
  userId = id;
}

/** Id of the user whose pages this tab shows; null before the first, and after signing out. */
export const actingAs = (): string | null => userId;
