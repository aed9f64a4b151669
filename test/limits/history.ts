// A history of admissions, and whether it keeps to a limit.

/** An admission, decided at some moment between these two, in milliseconds. */
export interface Admitted {
  sent: number;
  answered: number;
}

export const MINUTE_MS = 60_000;

/** The most that were certainly admitted within 60 s, the end not included. */
export function busiest(history: readonly Admitted[]): number {
  const bySent = history.map(({ sent }) => sent).sort((one, other) => one - other);
  let most = 0;
  for (const from of new Set(bySent)) {
    const within = history.filter(({ sent, answered }) => sent >= from && answered < from + MINUTE_MS);
    most = Math.max(most, within.length);
  }
  return most;
}

/** How many were admitted from one moment to another. */
export function admittedIn(history: readonly Admitted[], from: number, until: number): number {
  return history.filter(({ sent, answered }) => sent >= from && answered <= until).length;
}
