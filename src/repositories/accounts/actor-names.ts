// Repositories: names of the actors of recorded events, as far as the viewer may know them.

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

/**
 * SQL for the actor in a column of the form `kind:id`. Firms and clients see people's names, but not those of
 * operators.
 */
export function namedActor(column: string): string {
  return actor(
    column,
    `case ${kindOf(column)} when 'operator' then 'Portico’s staff' when 'system' then 'System'
      when 'member_as_test_client' then coalesce(${personOf(column)}, 'Unknown') || ' for the test client'
      else coalesce(${personOf(column)}, 'Unknown') end`,
  );
}

/** The same for operations, who also see each other's names, or else the id under which the event was recorded. */
export function namedOperator(column: string): string {
  return actor(column, `coalesce(${personOf(column)}, ${idOf(column)})`);
}
