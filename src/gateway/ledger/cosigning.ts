// Gateway: lets a witness cosign the checkpoint of the ledger (C2SP tlog-witness), and verifies its answer.
import { type Cosignature, cosignaturesOf } from '#core/ledger/note.ts';
import { TiledTree } from '#core/ledger/tree.ts';
import { submissionText, type Witness } from '#core/ledger/witness.ts';
import { responseText } from '#core/response-text.ts';
import type { Sql } from '#database/database.ts';
import { tilesOf } from '#repositories/ledger/ledger.ts';
import { recordRequest, saveCosigned } from '#repositories/ledger/witnesses.ts';

/** A line with an Ed25519 signature has some 150 bytes; lines of other types have up to 5,000. */
const MAX_ANSWER = 65_536;
/** Maximum difference between the clocks of witness and gateway. */
const CLOCKS_APART_SECONDS = 3_600;

export interface SignedHead {
  size: number;
  checkpoint: string;
}

const MEANINGS: Record<number, string> = {
  403: 'does not know the key that signs the log (`portico ledger key` prints it)',
  404: 'does not know the log (`portico ledger key` prints what it needs)',
  422: 'refuses: the log does not begin with the checkpoint that it cosigned before',
};

/**
 * The witness's cosignature of this checkpoint. Throws an Error with the reason where there is none: the witness is
 * away or slow, it refuses, its answer has no valid cosignature by its key, or the log does not continue what it has
 * cosigned.
 */
export async function askWitness(
  sql: Sql,
  witness: Witness,
  head: SignedHead,
  signal: AbortSignal,
): Promise<Cosignature> {
  let old = await recordRequest(sql, witness.key);
  // The size last cosigned may be outdated here or at the witness, so one retry uses the size that it reports.
  for (let isLast = false; ; isLast = true) {
    if (old > head.size)
      throw new Error(`${witness.name} has cosigned ${old} entries of the log, which has only ${head.size}`);
    const proof = await new TiledTree(head.size, tilesOf(sql)).consistency(old);
    const { status, text } = await submit(witness, submissionText(old, proof, head.checkpoint), signal);
    if (status === 200) {
      const cosignature = await requireCosignature(witness, head.checkpoint, text);
      await saveCosigned(sql, witness.key, head.size);
      return cosignature;
    }
    const reported = status === 409 && !isLast ? /^(0|[1-9]\d{0,14})\n$/.exec(text)?.[1] : undefined;
    if (reported === undefined) throw new Error(`${witness.name} ${MEANINGS[status] ?? `answers ${status}`}`);
    old = Number(reported);
  }
}

async function submit(
  { name, url }: Witness,
  body: string,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  try {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body, headers, signal, redirect: 'error' });
    return { status: response.status, text: await responseText(response, MAX_ANSWER) };
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`${name} does not answer: ${cause instanceof Error ? cause.message || cause.name : message}`);
  }
}

/** The line of the witness's key in its answer. Lines of other keys are ignored. */
async function requireCosignature({ name, key }: Witness, checkpoint: string, answer: string): Promise<Cosignature> {
  // Blank lines are removed: text before one would count as signed, and only the published checkpoint may.
  const lines = answer.replaceAll(/^\n/gm, '');
  const [found] = await cosignaturesOf(checkpoint + lines, key).catch((error: Error) => {
    throw new Error(`the response of ${name} is not a cosignature: ${error.message}`);
  });
  if (found === undefined) throw new Error(`${name} responds without a cosignature by its key`);
  if (Math.abs(found.at - Date.now() / 1_000) > CLOCKS_APART_SECONDS)
    throw new Error(`${name} has cosigned with a time that is not the present: ${found.at}`);
  return found;
}
