// Database: columns of tables that give access, whose change takes nobody's access away or is judged by triggers of their own.

/** Makes the trigger of the table that sees access change as it is, with further columns that do not matter to it. */
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
