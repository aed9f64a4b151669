// Portal: a client's access record as a file, page by page of one prepared operation, as long as it is.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import type { StageTimes } from '#core/stages.ts';
import { parseTimestamp } from '#core/timestamps.ts';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { limitOperations } from './auth/rate-limits.ts';
import { readSignedIn } from './auth/signed-in.ts';
import { csvLine } from './csv.ts';
import type { Portal } from './portal.ts';
import { respond } from './respond.ts';

const OPERATION = new URL('./operations/access-record-export.graphql', import.meta.url);
const PAGE_ROWS = 1_000;

/** Heading → what of an entry. */
const COLUMNS: readonly [string, (entry: Entry) => unknown][] = [
  ['at', ({ at }) => at],
  ['firm', ({ firmName }) => firmName],
  ['key', ({ keyName }) => keyName],
  ['environment', ({ environment }) => environment],
  ['endpoint', ({ endpoint }) => endpoint],
  ['registry_id', ({ registryId }) => registryId],
  ['item', ({ itemTitle }) => itemTitle],
  ['scopes', ({ scopes }) => scopes],
  ['outcome', ({ outcome }) => outcome],
  ['status', ({ status }) => status],
  ['error_code', ({ errorCode }) => errorCode],
  ['error', ({ errorMessage }) => errorMessage],
  ['request_id', ({ requestId }) => requestId],
  ['firm_id', ({ firmId }) => firmId],
  ['key_id', ({ keyId }) => keyId],
  ['tool_role', ({ toolRole }) => toolRole],
  ['tool_id', ({ toolId }) => toolId],
  ['contents', ({ contents }) => contents],
  ['items', ({ items }) => items && idsOf(items)],
  ['removed_items', ({ removedItems }) => idsOf(removedItems)],
  ['disclosed_scopes', ({ disclosed }) => disclosed],
  ['includes', ({ includes }) => includes],
  ['version', ({ version }) => version],
];

const idsOf = (items: readonly { registryId: string }[]): string[] => items.map(({ registryId }) => registryId);

/** Query parameter → variable. */
const FILTERS: Record<string, string> = {
  since: 'since',
  until: 'until',
  firm_id: 'firmId',
  key_id: 'keyId',
  endpoint: 'endpoint',
  outcome: 'outcome',
  registry_id: 'registryId',
};

interface Entry {
  at: string;
  firmName: string;
  keyName: string;
  environment: string;
  endpoint: string;
  registryId: string | null;
  itemTitle: string | null;
  scopes: string[];
  outcome: string;
  status: number;
  errorCode: string | null;
  errorMessage: string | null;
  requestId: string;
  firmId: string;
  keyId: string;
  toolRole: string | null;
  toolId: string | null;
  contents: string;
  items: { registryId: string }[] | null;
  removedItems: { registryId: string }[];
  disclosed: string[] | null;
  includes: string[] | null;
  version: string | null;
}

interface Page {
  nodes: Entry[];
  nextCursor: string | null;
}

interface Form {
  type: string;
  /** Pages of entries to pieces of the file. */
  write(pages: AsyncIterable<Entry[]>): AsyncIterable<string>;
}

const FORMS: Record<string, Form> = {
  csv: { type: 'text/csv; charset=utf-8; header=present', write: writeCsv },
  json: { type: 'application/json; charset=utf-8', write: writeJson },
  ndjson: { type: 'application/x-ndjson; charset=utf-8', write: writeNdjson },
};

export function registerRecordExport(app: FastifyInstance, portal: Portal, { unguarded }: Schemas): void {
  const document = prepareDocument('AccessRecordExport', readFileSync(OPERATION, 'utf8'), unguarded);
  for (const [extension, form] of Object.entries(FORMS))
    app.get(`/portal/access-record.${extension}`, (_request, reply) =>
      respond(portal, reply, `access-record.${extension}`, (exchange) =>
        serve(portal, exchange, document, { extension, form }),
      ),
    );
}

async function serve(
  portal: Portal,
  exchange: Exchange,
  document: PreparedDocument,
  { extension, form }: { extension: string; form: Form },
): Promise<Answer> {
  const who = await readSignedIn(portal, exchange);
  await limitOperations(exchange, who.account.id);
  const filters = readFilters(exchange.request.url);
  const read = (after: string | null, times?: StageTimes) =>
    readPage(portal, document, who.principal, { ...filters, after }, times);
  // The first page before the head: a refusal still is one.
  const first = await read(null, exchange.times);
  const stream = Readable.from(form.write(pagesFrom(first, read)));
  // What fails later cuts the file off, which browsers notice.
  stream.on('error', (error) => exchange.fail(error));
  const name = `portico-access-record-${new Date().toISOString().slice(0, 10)}.${extension}`;
  const headers = { 'Content-Type': form.type, 'Content-Disposition': `attachment; filename="${name}"` };
  return { status: 200, body: stream, headers };
}

async function readPage(
  portal: Portal,
  document: PreparedDocument,
  principal: Principal,
  variables: Record<string, unknown>,
  times?: StageTimes,
): Promise<Page> {
  const { body } = await portal.gateway.execute(document, { first: PAGE_ROWS, ...variables }, principal, times);
  return body as Page;
}

async function* pagesFrom(first: Page, read: (after: string | null) => Promise<Page>): AsyncGenerator<Entry[]> {
  for (let page = first; ; page = await read(page.nextCursor)) {
    yield page.nodes;
    if (page.nextCursor === null) return;
  }
}

/** Throws Refusal for a parameter that is none of the filters, is repeated, or is no time. */
function readFilters(url: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, text] of new URL(url, 'http://localhost').searchParams) {
    const variable = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (variable === undefined) throw new Refusal('unknown_parameter', { param: name });
    if (text === '') continue;
    if (variables[variable] !== undefined) throw new Refusal('invalid_parameter', { param: name });
    const value = name === 'since' || name === 'until' ? parseTimestamp(text) : text;
    if (value === null) throw new Refusal('invalid_parameter', { param: name, message: `"${name}" is a timestamp.` });
    variables[variable] = value;
  }
  return variables;
}

/** Spreadsheets take text for UTF-8 only where it begins with the mark. */
const BYTE_ORDER_MARK = '\uFEFF';

async function* writeCsv(pages: AsyncIterable<Entry[]>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(COLUMNS.map(([heading]) => heading));
  for await (const entries of pages)
    yield entries.map((entry) => csvLine(COLUMNS.map(([, read]) => read(entry)))).join('');
}

const jsonOf = (entry: Entry): string =>
  JSON.stringify(Object.fromEntries(COLUMNS.map(([heading, read]) => [heading, read(entry)])));

async function* writeNdjson(pages: AsyncIterable<Entry[]>): AsyncGenerator<string> {
  for await (const entries of pages) yield entries.map((entry) => `${jsonOf(entry)}\n`).join('');
}

/** An array with one object a line. */
async function* writeJson(pages: AsyncIterable<Entry[]>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const entries of pages) {
    if (entries.length === 0) continue;
    yield before + entries.map(jsonOf).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
