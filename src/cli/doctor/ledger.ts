// Doctor: whether records are appended to the ledger, and whether its witnesses cosign.
import type { Witness } from '#core/ledger/witness.ts';
import type { Database } from '#database/database.ts';
import { listProcesses } from '#repositories/gateway-processes.ts';
import { readWaiting } from '#repositories/ledger/pending.ts';
import { readWitnessStates } from '#repositories/ledger/witnesses.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** A gateway appends every second. Only a failure takes this long. */
const LATE_SECONDS = 300;
/** Each witness is asked once a minute. */
const SILENT_SECONDS = 3_600;

export async function examineLedger(database: Database, witnesses: readonly Witness[]): Promise<Finding[]> {
  const serving = (await listProcesses(database)).some(({ silent }) => !silent);
  return [await examineWaiting(database, serving), ...(await examineWitnesses(database, witnesses))];
}

async function examineWaiting(database: Database, serving: boolean): Promise<Finding> {
  const check = 'ledger';
  const { entries, oldestSeconds } = await readWaiting(database);
  if (oldestSeconds <= LATE_SECONDS) return ok(check, `${entries} entries wait to be appended`);
  const found = `${entries} entries wait to be appended, the oldest for ${Math.round(oldestSeconds)} s`;
  if (!serving) return warning(check, found, 'no gateway is running: start one, and it appends them');
  return wrong(check, found, 'look for "where":"ledger" in the logs of gateways (runbook ledger)');
}

async function examineWitnesses(database: Database, witnesses: readonly Witness[]): Promise<Finding[]> {
  const check = 'ledger.witnesses';
  const states = await readWitnessStates(
    database,
    witnesses.map(({ key }) => key),
  );
  return witnesses.map(({ key, name }) => {
    const state = states.find(({ witness }) => witness === key);
    if (state === undefined)
      return warning(
        check,
        `${name} was never asked to cosign`,
        'start a gateway with this configuration: it asks the witness',
      );
    const { seconds, cosigned } = state;
    if (cosigned && seconds <= SILENT_SECONDS) return ok(check, `${name} has cosigned ${Math.round(seconds)} s ago`);
    const found = cosigned ? `${name} has not cosigned for` : `${name} has never cosigned, though asked for`;
    const advice = 'look for "where":"ledger witness" in the logs of gateways (runbook witnesses)';
    return warning(check, `${found} ${Math.round(seconds)} s`, advice);
  });
}
