// Hostile requests to area A.

import fc from 'fast-check';
import { plainPaths } from '#test/support/sample-requests.ts';
import { authorization, complete, type Headers, type HostileRequest, type Insider } from './request.ts';
import { headerText, hostileBody, hostileText, mix, percentEncode, wireSegment, wireText } from './texts.ts';

const PARAMETERS = [
  ...['client_id', 'category', 'min_value', 'max_value', 'updated_since', 'include', 'page', 'page_size', 'cursor'],
  ...['source', 'since', 'limit', 'CLIENT_ID', 'client_id[]', 'page[gte]', '__proto__', 'a\0', '', 'constructor'],
];

const METHODS = ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND'];

const pair = fc.tuple(fc.constantFrom(...PARAMETERS).map(percentEncode), wireText).map((parts) => parts.join('='));

function query(clientIds: readonly string[]): fc.Arbitrary<string> {
  const client = mix([8, fc.constantFrom(...clientIds)], [2, wireText]).map((id) => [`client_id=${id}`]);
  const others = fc.array(mix([9, pair], [1, wireText]), { maxLength: 3 });
  return fc
    .tuple(mix<string[]>([9, client], [1, fc.constant([])]), others, fc.constantFrom('&', '&', '&', '&&', ';'))
    .map(([first, rest, glue]) => [...first, ...rest].join(glue));
}

function path(registryIds: readonly string[]): fc.Arbitrary<string> {
  const id = mix([6, fc.constantFrom(...registryIds)], [3, wireSegment]);
  return fc.oneof(
    ...plainPaths('ITEM').map((path) => id.map((one) => `/api/v1${path.replace('ITEM', () => one)}`)),
    wireText.map((text) => `/api/v1/${text}`),
    wireText.map((text) => `/${text}`),
  );
}

export function hostilePortfolio(insider: Insider): fc.Arbitrary<HostileRequest> {
  const version = mix<Headers>(
    [12, fc.constant({ 'X-Service-Version': insider.version })],
    [1, headerText.map((text) => ({ 'X-Service-Version': text }))],
    [1, fc.constant({})],
  );
  const request = fc
    .record({
      method: mix([9, fc.constant('GET')], [1, fc.constantFrom(...METHODS)]),
      path: path(insider.registryIds),
      query: query(insider.clientIds),
      headers: fc.tuple(authorization(insider.keys), version),
      body: mix<Buffer | null>([9, fc.constant(null)], [1, hostileBody]),
    })
    .map(({ path: at, query: search, headers, ...rest }) => ({
      ...rest,
      path: search === '' ? at : `${at}?${search}`,
      headers: Object.assign({}, ...headers) as Headers,
    }));
  return complete(request, 'portfolio');
}

/** Cursors with one byte changed, cut short or lengthened. */
export function hostileCursors({ cursors, keys, version }: Insider): fc.Arbitrary<HostileRequest> {
  const request = fc
    .tuple(fc.constantFrom(...cursors), fc.nat(), hostileText, fc.constantFrom(...keys))
    .map(([{ query: of, cursor }, at, text, secret]) => ({
      path: `${of}&cursor=${percentEncode(tamper(cursor, at, text))}`,
      headers: { Authorization: `Bearer ${secret}`, 'X-Service-Version': version },
    }));
  return complete(request, 'portfolio');
}

function tamper(cursor: string, at: number, text: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const place = at % bytes.length;
  switch (at % 4) {
    case 0:
      bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
      return bytes.toString('base64url');
    case 1:
      return cursor.slice(0, place);
    case 2:
      return `${cursor}${text}`;
    default:
      return cursor;
  }
}
