// Gateway room: whom the limit turned away a moment ago, so that turning them away again costs no database call.
import type { Admission } from '#data/repositories/admission.ts';

const GENERATION_MS = 1_000;
const MOST_PER_GENERATION = 10_000;

/**
 * Good for one thing: asking a key's limit before the key itself is read. Whoever the limit lets through is read afresh,
 * so nothing is ever served from here. An entry lives one to two seconds.
 */
export class RecentAdmissions {
  readonly #now: () => number;
  #young = new Map<string, Admission>();
  #old = new Map<string, Admission>();
  #born: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#born = now();
  }

  keep(key: Buffer, clientId: string | null, admission: Admission): void {
    this.#age();
    if (this.#young.size < MOST_PER_GENERATION) this.#young.set(nameOf(key, clientId), admission);
  }

  find(key: Buffer, clientId: string | null): Admission | null {
    this.#age();
    const name = nameOf(key, clientId);
    return this.#young.get(name) ?? this.#old.get(name) ?? null;
  }

  #age(): void {
    const age = this.#now() - this.#born;
    if (age >= 0 && age < GENERATION_MS) return;
    this.#old = age >= 0 && age < 2 * GENERATION_MS ? this.#young : new Map();
    this.#young = new Map();
    this.#born = this.#now();
  }
}

const nameOf = (key: Buffer, clientId: string | null): string => `${key.toString('latin1')}${clientId}`;
