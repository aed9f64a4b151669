// Repositories: who caused a recorded event, as the people who look at it may know them.

export interface NamedActor {
  /** client, firm_member, member_as_test_client, operator or system. */
  kind: string;
  name: string;
}

const kindOf = (column: string) => `split_part(${column}, ':', 1)`;
const idOf = (column: string) => `substr(${column}, strpos(${column}, ':') + 1)`;
const personOf = (column: string) => `(select person.name from users person where person.id = ${idOf(column)})`;

const actor = (column: string, name: string) =>
  `case when ${column} is not null then json_build_object('kind', ${kindOf(column)}, 'name', ${name}) end`;

/** SQL of the actor in a column that holds `kind:id`: firms and clients learn people's names, of operators none. */
export function namedActor(column: string): string {
  return actor(
    column,
    `case ${kindOf(column)} when 'operator' then 'Operations' when 'system' then 'System'
      when 'member_as_test_client' then coalesce(${personOf(column)}, 'Unknown') || ' for the test client'
      else coalesce(${personOf(column)}, 'Unknown') end`,
  );
}

/** The same for operations, who tell one another apart: by name, or by what else the event was recorded under. */
export function namedOperator(column: string): string {
  return actor(column, `coalesce(${personOf(column)}, ${idOf(column)})`);
}
