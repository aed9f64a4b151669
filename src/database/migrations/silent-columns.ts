// Database: columns of access tables whose change revokes nothing, or is handled by triggers of its own.

/** Recreates the table's trigger for access changes with further columns that do not matter to it. */
export const silence = (table: string, columns: string): string => `
do $$
declare
  definition text := pg_get_triggerdef(oid) from pg_trigger
    where tgrelid = '${table}'::regclass and tgname = '${table}_access_changed';
begin
  drop trigger ${table}_access_changed on ${table};
  execute replace(definition, '''{', '''{${columns},');
  alter table ${table} enable always trigger ${table}_access_changed;
end $$`;
