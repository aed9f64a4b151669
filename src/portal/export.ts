// Portal: a list as a file of any length, read page by page with one prepared operation, which defines the columns.
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type FieldNode, getOperationAST, Kind, type OperationDefinitionNode } from 'graphql';
import { Refusal, refuseParameter } from '#core/errors.ts';
import { snakeCase } from '#core/fields/field.ts';
import { lazy } from '#core/lazy.ts';
import type { StageTimes } from '#core/stages.ts';
import { parseTimestamp } from '#core/timestamps.ts';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { attachment, type Form } from './attachment.ts';
import { admitOperation, whileAdmitted } from './auth/signed-in.ts';
import { csvLine } from './csv.ts';
import type { Portal } from './portal.ts';
import { respond } from './respond.ts';

const PAGE_ROWS = 1_000;

interface Export {
  /** Its name is the address below `/portal/`, and the file name after `portico-`, without the extension. */
  document: PreparedDocument;
  columns: readonly Column[];
  /** Query parameter → variable; `since` and `until` are timestamps. */
  filters: ReadonlyMap<string, string>;
}

/** A field of the page's `nodes`. */
interface Column {
  heading: string;
  /** Where the field's values are objects: the one member that the file shows of them. */
  member: string | undefined;
}

interface Page {
  nodes: Record<string, unknown>[];
  nextCursor: string | null;
}

/** Converts pages of rows to pieces of the file. */
const WRITERS = { csv: writeCsv, json: writeJson, ndjson: writeNdjson };

/**
 * The field `body` of `operations/NAME-export.graphql` is a page. The columns are the fields of its `nodes`, headed by
 * their names in the response, and a last one, `checkpoint`, which has the ledger's newest signed note in the first row
 * only. The filters are the variables, except `first` and `after`.
 */
export function registerExport(
  app: FastifyInstance,
  portal: Portal,
  { unguarded }: Schemas,
  name: string,
  forms: readonly Form[],
): void {
  const text = readFileSync(new URL(`./operations/${name}-export.graphql`, import.meta.url), 'utf8');
  const exported = lazy(async () => exportOf(prepareDocument(name, text, unguarded)));
  for (const form of forms)
    app.get(`/portal/${name}.${form}`, (_request, reply) =>
      respond(portal, reply, `${name}.${form}`, async (exchange) => serve(portal, exchange, await exported(), form)),
    );
}

function exportOf(document: PreparedDocument): Export {
  const operation = getOperationAST(document.document);
  const nodes = fieldsOf(fieldsOf(operation)[0]).find(({ name }) => name.value === 'nodes');
  if (nodes === undefined) throw new Error(`the export ${document.name} has no nodes`);
  const columns = fieldsOf(nodes).map((field) => {
    const [member, ...others] = fieldsOf(field);
    if (others.length > 0) throw new Error(`the column ${nameOf(field)} has more than one member`);
    return { heading: nameOf(field), member: member && nameOf(member) };
  });
  const variables = (operation?.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const filters = variables.filter((name) => name !== 'first' && name !== 'after');
  return { document, columns, filters: new Map(filters.map((name) => [snakeCase(name), name])) };
}

const fieldsOf = (of: OperationDefinitionNode | FieldNode | null | undefined): FieldNode[] =>
  (of?.selectionSet?.selections ?? []).filter((selection) => selection.kind === Kind.FIELD);

const nameOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

async function serve(portal: Portal, exchange: Exchange, exported: Export, form: Form): Promise<Answer> {
  const { document, columns, filters } = exported;
  const principal = await admitOperation(portal, exchange);
  const given = readFilters(exchange.request.url, filters);
  const read = async (after: string | null, times?: StageTimes) => {
    const variables = { first: PAGE_ROWS, ...given, after };
    const { body } = await portal.gateway.execute(document, variables, principal, times);
    return body as Page;
  };
  // The first page is read before the response starts, so that a refusal can still be sent.
  const first = await read(null, exchange.times);
  const rows = rowsOf(pagesFrom(first, read), columns, await portal.ledger.checkpoint());
  const pieces = WRITERS[form](rows, [...columns.map(({ heading }) => heading), 'checkpoint']);
  return attachment(exchange, document.name, form, whileAdmitted(portal, exchange, principal, pieces));
}

async function* pagesFrom(first: Page, read: (after: string | null) => Promise<Page>): AsyncGenerator<Page> {
  for (let page = first; ; page = await read(page.nextCursor)) {
    yield page;
    if (page.nextCursor === null) return;
  }
}

type Row = unknown[];

async function* rowsOf(
  pages: AsyncIterable<Page>,
  columns: readonly Column[],
  checkpoint: string | null,
): AsyncGenerator<Row[]> {
  let note = checkpoint;
  for await (const { nodes } of pages)
    yield nodes.map((node) => {
      const row = [...columns.map(({ heading, member }) => cellOf(node[heading], member)), note];
      note = null;
      return row;
    });
}

/** JSON becomes text. */
function cellOf(value: unknown, member: string | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (member === undefined) return Array.isArray(value) ? value : JSON.stringify(value);
  const shown = (object: Record<string, unknown>) => object[member];
  return Array.isArray(value) ? value.map(shown) : shown(value as Record<string, unknown>);
}

/** Throws Refusal for an unknown or repeated parameter, and for an invalid time. */
function readFilters(url: string, filters: ReadonlyMap<string, string>): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, text] of new URL(url, 'http://localhost').searchParams) {
    const variable = filters.get(name);
    if (variable === undefined) throw new Refusal('unknown_parameter', { param: name });
    if (text === '') continue;
    if (variables[variable] !== undefined) throw new Refusal('invalid_parameter', { param: name });
    const value = name === 'since' || name === 'until' ? parseTimestamp(text) : text;
    if (value === null) refuseParameter(name, `"${name}" is a timestamp.`);
    variables[variable] = value;
  }
  return variables;
}

/** Spreadsheets recognise UTF-8 only by this mark. */
const BYTE_ORDER_MARK = '\uFEFF';

async function* writeCsv(pages: AsyncIterable<Row[]>, headings: string[]): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(headings);
  for await (const rows of pages) yield rows.map(csvLine).join('');
}

const jsonOf = (row: Row, headings: string[]): string =>
  JSON.stringify(Object.fromEntries(headings.map((heading, column) => [heading, row[column]])));

async function* writeNdjson(pages: AsyncIterable<Row[]>, headings: string[]): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${jsonOf(row, headings)}\n`).join('');
}

/** An array with one object per line. */
async function* writeJson(pages: AsyncIterable<Row[]>, headings: string[]): AsyncGenerator<string> {
  let before = '[\n';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield before + rows.map((row) => jsonOf(row, headings)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
