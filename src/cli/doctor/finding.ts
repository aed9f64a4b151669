// Doctor: the result of an examination, and what to do.

export interface Finding {
  /** For instance `database.triggers`. */
  check: string;
  /** `wrong` has to be fixed; a `warning` need not be. */
  state: 'ok' | 'warning' | 'wrong';
  /** The present state. */
  found: string;
  /** What to do; null if nothing has to be done. */
  advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null });

const told =
  (state: 'warning' | 'wrong') =>
  (check: string, found: string, advice: string): Finding => ({ check, state, found, advice });
export const warning = told('warning');
export const wrong = told('wrong');

/** Collects findings of one check that may have several, and adds one that all is well if there are none. */
export function examining(check: string, findings: Finding[] = []) {
  return {
    ok: (found: string) => void findings.push(ok(check, found)),
    warning: (found: string, advice: string) => void findings.push(warning(check, found, advice)),
    wrong: (found: string, advice: string) => void findings.push(wrong(check, found, advice)),
    orOk: (found: string) => (findings.length > 0 ? findings : [ok(check, found)]),
  };
}

export const RESTORE = 'see: portico restore';
