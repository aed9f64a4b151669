// Portal: a list as a file of any length, read page by page with one prepared operation.
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { Refusal, refuseParameter } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
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

export interface Export<Entry> {
  /** The address below `/portal/` and the name after `portico-`, both without the extension of the form. */
  name: string;
  /** File of the operation. Its field `body` is a page; it takes `first`, `after` and the filters. */
  operation: URL;
  /** Heading → value of an entry. */
  columns: readonly (readonly [string, (entry: Entry) => unknown])[];
  /** Adds a last column `checkpoint`, with the ledger's newest signed note in the first row only. */
  checkpoint?: true;
  /** Query parameter → variable; `since` and `until` are timestamps. */
  filters: Readonly<Record<string, string>>;
  forms: readonly Form[];
}

interface Page<Entry> {
  nodes: Entry[];
  nextCursor: string | null;
}

/** Converts pages of entries to pieces of the file. */
const WRITERS = { csv: writeCsv, json: writeJson, ndjson: writeNdjson };

export function registerExport<Entry>(
  app: FastifyInstance,
  portal: Portal,
  { unguarded }: Schemas,
  exported: Export<Entry>,
): void {
  const document = prepareDocument(exported.name, readFileSync(exported.operation, 'utf8'), unguarded);
  for (const form of exported.forms)
    app.get(`/portal/${exported.name}.${form}`, (_request, reply) =>
      respond(portal, reply, `${exported.name}.${form}`, (exchange) =>
        serve(portal, exchange, document, exported, form),
      ),
    );
}

async function serve<Entry>(
  portal: Portal,
  exchange: Exchange,
  document: PreparedDocument,
  exported: Export<Entry>,
  form: Form,
): Promise<Answer> {
  const { name, filters } = exported;
  const principal = await admitOperation(portal, exchange);
  const given = readFilters(exchange.request.url, filters);
  const read = (after: string | null, times?: StageTimes) =>
    readPage<Entry>(portal, document, principal, { ...given, after }, times);
  // The first page is read before the response starts, so that a refusal can still be sent.
  const first = await read(null, exchange.times);
  const columns = await columnsOf(portal, exported);
  const pieces = WRITERS[form](pagesFrom(first, read), columns);
  return attachment(exchange, name, form, whileAdmitted(portal, exchange, principal, pieces));
}

async function columnsOf<Entry>({ ledger }: Portal, { columns, checkpoint }: Export<Entry>): Promise<Columns<Entry>> {
  if (checkpoint === undefined) return columns;
  const note = await ledger.checkpoint();
  // The first page may be empty.
  let first: Entry | undefined;
  return [
    ...columns,
    [
      'checkpoint',
      (entry) => {
        first ??= entry;
        return entry === first ? note : null;
      },
    ],
  ];
}

async function readPage<Entry>(
  portal: Portal,
  document: PreparedDocument,
  principal: Principal,
  variables: Record<string, unknown>,
  times?: StageTimes,
): Promise<Page<Entry>> {
  const { body } = await portal.gateway.execute(document, { first: PAGE_ROWS, ...variables }, principal, times);
  return body as Page<Entry>;
}

async function* pagesFrom<Entry>(
  first: Page<Entry>,
  read: (after: string | null) => Promise<Page<Entry>>,
): AsyncGenerator<Entry[]> {
  for (let page = first; ; page = await read(page.nextCursor)) {
    yield page.nodes;
    if (page.nextCursor === null) return;
  }
}

/** Throws Refusal for an unknown or repeated parameter, and for an invalid time. */
function readFilters(url: string, filters: Readonly<Record<string, string>>): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, text] of new URL(url, 'http://localhost').searchParams) {
    const variable = Object.hasOwn(filters, name) ? filters[name] : undefined;
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

type Columns<Entry> = Export<Entry>['columns'];

async function* writeCsv<Entry>(pages: AsyncIterable<Entry[]>, columns: Columns<Entry>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(columns.map(([heading]) => heading));
  for await (const entries of pages)
    yield entries.map((entry) => csvLine(columns.map(([, read]) => read(entry)))).join('');
}

const jsonOf = <Entry>(entry: Entry, columns: Columns<Entry>): string =>
  JSON.stringify(Object.fromEntries(columns.map(([heading, read]) => [heading, read(entry)])));

async function* writeNdjson<Entry>(pages: AsyncIterable<Entry[]>, columns: Columns<Entry>): AsyncGenerator<string> {
  for await (const entries of pages) yield entries.map((entry) => `${jsonOf(entry, columns)}\n`).join('');
}

/** An array with one object per line. */
async function* writeJson<Entry>(pages: AsyncIterable<Entry[]>, columns: Columns<Entry>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const entries of pages) {
    if (entries.length === 0) continue;
    yield before + entries.map((entry) => jsonOf(entry, columns)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
