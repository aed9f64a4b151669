// Database: the ledger: an append-only Merkle tree over calls, consent steps and key steps.
import { Migration } from '@mikro-orm/migrations';

/*
 * Writers add what they record to ledger_pending, in the transaction that records it. One gateway at a time appends it
 * to the tree, holding the lock on the ledger's only row. A call refers to its position in ledger_pending
 * (access_calls.entry), and ledger_batches maps that to the position in the tree, so that no row of a call is ever
 * updated.
 */
export class Migration0034Ledger extends Migration {
  override up(): void {
    this.addSql(`
-- One row: its lock lets one process at a time append, and ends with that process's transaction.
create table ledger (
  single boolean primary key default true check (single),
  -- The name of the log in checkpoints; it never changes.
  origin text not null,
  size bigint not null,
  root bytea not null,
  -- The signed note of this size and root; null before the first.
  checkpoint text,
  appended_at timestamptz(3)
);

create table ledger_pending (
  number bigint generated always as identity primary key,
  -- Calls: whom each is about, and the SHA-256 hashes of their texts, one after the other.
  subjects text[],
  digests bytea,
  -- Steps: the row of grant_events or key_events.
  source text,
  event bigint,
  check ((subjects is null) = (digests is null) and (source is null) = (event is null) and (subjects is null) = (source is not null))
);
alter table ledger_pending alter digests set storage external;

-- Where the entries of one row of ledger_pending are: from leaf first on, and the number of each among those of its subject, six bytes each.
create table ledger_batches (
  number bigint primary key,
  first bigint not null unique,
  entries integer not null,
  numbers bytea not null,
  at timestamptz(3) not null
);
alter table ledger_batches alter numbers set storage external;

create table ledger_steps (
  source text not null,
  event bigint not null,
  leaf bigint not null unique,
  number bigint not null,
  primary key (source, event)
);

create table ledger_subjects (
  subject text collate "C" primary key,
  -- Salts are made of it; null once it was destroyed.
  secret bytea,
  entries bigint not null
);

-- Salted hashes of the entries, 256 to a row, in the order of the log; the leaves of the tree are hashes of these.
create table ledger_bundles (
  index bigint primary key,
  commitments bytea not null
);
alter table ledger_bundles alter commitments set storage external;

-- The tree's tiles from level 1 on (C2SP tlog-tiles). The last of each level may still grow.
create table ledger_tiles (
  level smallint not null check (level > 0),
  index bigint not null,
  hashes bytea not null,
  primary key (level, index)
);
alter table ledger_tiles alter hashes set storage external;

-- Where in ledger_pending the call stood: its number times 65536 and the place; 0 where no gateway of this release has written the call.
alter table access_calls add entry bigint not null default 0;

-- Leaves of erased entries, six bytes each: their texts and the secret of their salts are gone.
create table ledger_erasures (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default now_ms(),
  leaves bytea not null
);

-- Steps up to these were before the ledger.
create table ledger_begin (
  source text primary key,
  event bigint not null
);

create function ledger_step() returns trigger language plpgsql as $$
begin
  insert into ledger_pending (source, event) values (tg_table_name, new.id);
  return null;
end $$;
create trigger grant_events_ledger after insert on grant_events for each row execute function ledger_step();
create trigger key_events_ledger after insert on key_events for each row execute function ledger_step();
alter table grant_events enable always trigger grant_events_ledger;
alter table key_events enable always trigger key_events_ledger;
insert into ledger_begin (source, event)
select source, coalesce(pg_sequence_last_value(pg_get_serial_sequence(source, 'id')::regclass), 0)
from unnest(array['grant_events', 'key_events']) source;
update change_log set tracking = change_tracking();
`);
  }
}
