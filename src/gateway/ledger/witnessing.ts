// Gateway: lets witnesses cosign the newest checkpoint every minute, one gateway at a time, and publishes the result.
import type { Witness } from '#core/ledger/witness.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import { finishInGrace } from '#core/with-timeout.ts';
import type { Database } from '#database/database.ts';
import { readHead } from '#repositories/ledger/ledger.ts';
import { claimRound, isRoundDue, publish, readWitnessStates } from '#repositories/ledger/witnesses.ts';
import { askWitness, type SignedHead } from './cosigning.ts';

/** Interval of published checkpoints. */
export const ROUND_SECONDS = 60;
/** Timeout of a witness, so that a round ends before the next begins. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 5_000;

export interface Witnessing {
  /** For each witness ever asked: seconds since it cosigned, or since it was first asked. As of the latest check. */
  states(): readonly { name: string; seconds: number }[];
  close(): Promise<void>;
}

export interface WitnessingOptions {
  onFailure: (error: unknown) => void;
  roundSeconds?: number;
  patienceMs?: number;
}

/** One round. Returns true where this process asked the witnesses. */
export async function askWitnesses(
  database: Database,
  witnesses: readonly Witness[],
  { onFailure, roundSeconds = ROUND_SECONDS, patienceMs = PATIENCE_MS }: WitnessingOptions,
  closing: AbortSignal = new AbortController().signal,
): Promise<boolean> {
  if (!(await isRoundDue(database, roundSeconds))) return false;
  const taken = await claimRound(database, roundSeconds);
  if (taken === null) return false;
  // Read afterwards: since before, another process's round may have published a newer one.
  const head = await readHead(database);
  if (head?.checkpoint == null) return false;
  const signed: SignedHead = { size: head.size, checkpoint: head.checkpoint };
  const signal = AbortSignal.any([closing, AbortSignal.timeout(patienceMs)]);
  const lines = await Promise.all(
    witnesses.map((witness) =>
      askWitness(database, witness, signed, signal).then(
        ({ line }) => `${line}\n`,
        (error: unknown) => {
          if (!closing.aborted) onFailure(error);
          return '';
        },
      ),
    ),
  );
  // A round cut short by closing is not published: the earlier checkpoint with cosignatures is worth more.
  if (!closing.aborted) await publish(database, taken, head.checkpoint + lines.join(''));
  return true;
}

export function startWitnessing(
  database: Database,
  witnesses: readonly Witness[],
  options: WitnessingOptions,
): Witnessing {
  const names = new Map(witnesses.map(({ key, name }) => [key, name]));
  const closing = new AbortController();
  let states: { name: string; seconds: number }[] = [];
  const look = async () => {
    const known = await readWitnessStates(database, [...names.keys()]);
    states = known.map(({ witness, seconds }) => ({ name: names.get(witness) ?? '', seconds }));
    await askWitnesses(database, witnesses, options, closing.signal);
  };
  const looking = oneAtATime(() => look().catch(options.onFailure));
  const timer = setInterval(() => void looking.run(), LOOK_MS).unref();
  return {
    states: () => states,
    async close() {
      clearInterval(timer);
      closing.abort();
      await finishInGrace(looking.idle());
    },
  };
}
