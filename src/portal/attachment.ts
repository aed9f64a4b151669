// Portal: downloads, named by their content and the day, and streamed as they are written.
import { Readable } from 'node:stream';
import { Refusal } from '#core/errors.ts';
import type { Answer, Exchange } from '#http/exchange.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};
export type Form = keyof typeof TYPES;

/** The pieces as a file. A failure in the middle aborts the response, which browsers notice. */
export function attachment(exchange: Exchange, name: string, form: Form, pieces: AsyncIterable<string>): Answer {
  const stream = Readable.from(pieces);
  stream.on('error', (error) => {
    // A session that ended meanwhile is no failure of ours.
    if (!(error instanceof Refusal && error.status < 500)) exchange.fail(error);
  });
  const file = `portico-${name}-${new Date().toISOString().slice(0, 10)}.${form}`;
  const headers = { 'Content-Type': TYPES[form], 'Content-Disposition': `attachment; filename="${file}"` };
  return { status: 200, body: stream, headers };
}
