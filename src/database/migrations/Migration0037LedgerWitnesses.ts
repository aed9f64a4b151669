// Database: the cosignatures of the ledger by witnesses, and the checkpoint published with them.
import { Migration } from '@mikro-orm/migrations';

export class Migration0037LedgerWitnesses extends Migration {
  override up(): void {
    this.addSql(`
-- By verifier key, as the configuration has it.
create table ledger_witnesses (
  witness text collate "C" primary key,
  -- How many entries it has cosigned; 0 before the first time.
  size bigint not null,
  asked_at timestamptz(3) not null default now_ms(),
  cosigned_at timestamptz(3)
);

-- One row. Whoever moves taken_at asks the witnesses, and publishes the checkpoint with what they answered.
create table ledger_publication (
  single boolean primary key default true check (single),
  taken_at timestamptz(3) not null,
  checkpoint text,
  published_at timestamptz(3)
);`);
  }
}
