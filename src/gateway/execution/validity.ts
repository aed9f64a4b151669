// Gateway: until when an answer holds although nothing is written, from what its fields say of themselves.
import { type GraphQLSchema, getNamedType, isObjectType, Kind, type SelectionSetNode } from 'graphql';

/** The Unix second from which the value may be another by the clock alone; Infinity for never. `now` likewise. */
export type EndOfValidity = (value: unknown, now: number) => number;

/**
 * What a field declares in `extensions.changesAt` where the clock changes it: the field of the same object that names the
 * instant at which it turns from true to false, or `midnight` for the end of the day in UTC.
 */
export type ChangesAt = 'midnight' | (string & {});

const DAY_SECONDS = 86_400;

/** For the values that this selection gives; null where the clock changes none of them. */
export function endOfSelection(set: SelectionSetNode, typeName: string, schema: GraphQLSchema): EndOfValidity | null {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return null;
  const fields = set.selections.flatMap((selection) => (selection.kind === Kind.FIELD ? selection : []));
  const keys = new Map(fields.map(({ name, alias }) => [name.value, (alias ?? name).value]));
  const ends = fields.flatMap(({ name, selectionSet }): EndOfValidity[] => {
    const definition = type.getFields()[name.value];
    const key = keys.get(name.value) as string;
    const changesAt = definition?.extensions.changesAt as ChangesAt | undefined;
    if (changesAt === 'midnight') return [endOfDay];
    if (changesAt !== undefined) return [endOfTruth(key, keys.get(changesAt), `${typeName}.${name.value}`)];
    if (definition === undefined || selectionSet === undefined) return [];
    const inner = endOfSelection(selectionSet, getNamedType(definition.type).name, schema);
    return inner === null ? [] : [(object, now) => endOfAll((object as Record<string, unknown>)[key], inner, now)];
  });
  return ends.length === 0 ? null : (object, now) => Math.min(...ends.map((end) => end(object, now)));
}

const endOfDay: EndOfValidity = (_value, now) => (Math.floor(now / DAY_SECONDS) + 1) * DAY_SECONDS;

function endOfTruth(key: string, instantKey: string | undefined, field: string): EndOfValidity {
  if (instantKey === undefined) throw new Error(`${field} is asked for without the instant at which it changes`);
  return (object) => {
    const { [key]: holds, [instantKey]: instant } = object as Record<string, unknown>;
    return holds === true && typeof instant === 'string' ? Date.parse(instant) / 1000 : Number.POSITIVE_INFINITY;
  };
}

function endOfAll(value: unknown, inner: EndOfValidity, now: number): number {
  if (value === null || value === undefined) return Number.POSITIVE_INFINITY;
  if (!Array.isArray(value)) return inner(value, now);
  let end = Number.POSITIVE_INFINITY;
  for (const entry of value) end = Math.min(end, endOfAll(entry, inner, now));
  return end;
}
