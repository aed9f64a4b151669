// Bench, the expert floor: parsers of PostgreSQL's values that return the wire format.
import pg, { type CustomTypesConfig } from 'pg';
import { timestampFromPostgres } from '../../../src/core/timestamps.ts';

const { builtins, getTypeParser } = pg.types;

export const WIRE_TYPES: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === builtins.TIMESTAMPTZ) return timestampFromPostgres;
    if (oid === builtins.DATE) return (text: string) => text;
    if (oid === builtins.INT8) return Number;
    return getTypeParser(oid, format as 'text');
  },
};
