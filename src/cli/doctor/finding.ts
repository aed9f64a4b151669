// Doctor: what was looked at, how it is, and what to do.

export interface Finding {
  /** As `database.triggers`. */
  check: string;
  /** `wrong` has to be put right; with a `warning` one can live. */
  state: 'ok' | 'warning' | 'wrong';
  /** How it is. */
  found: string;
  /** What to do; null where nothing has to be done. */
  advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null });

const told =
  (state: 'warning' | 'wrong') =>
  (check: string, found: string, advice: string): Finding => ({ check, state, found, advice });
export const warning = told('warning');
export const wrong = told('wrong');

/** Where several things can be said of one check: tells them one by one, or in the end, where there was none, that all is well. */
export function examining(check: string, findings: Finding[] = []) {
  return {
    ok: (found: string) => void findings.push(ok(check, found)),
    warning: (found: string, advice: string) => void findings.push(warning(check, found, advice)),
    wrong: (found: string, advice: string) => void findings.push(wrong(check, found, advice)),
    orOk: (found: string) => (findings.length > 0 ? findings : [ok(check, found)]),
  };
}

export const RESTORE = 'see: npm run -s portico -- restore';
