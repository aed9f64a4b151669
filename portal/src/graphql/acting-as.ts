// GraphQL client: as whom this tab acts. The server refuses a call that was meant for somebody else than who acts now.

let userId: string | null = null;

/** Null: not known, which goes for whoever is signed in. */
export function noteActingAs(id: string | null): void {
  userId = id;
}

/** Id of the user whose pages this tab shows; null before any, and once nobody is signed in. */
export const actingAs = (): string | null => userId;
