// Requests that nobody should send: well-formed enough to be read, hostile in every part.

import fc from 'fast-check';

export interface HostileRequest {
  area: 'portfolio' | 'plants' | 'graphql';
  method: string;
  /** Path and query as they go on the wire. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** What a hostile caller may know: secrets of its own, ids that exist, cursors that it was given. */
export interface Insider {
  keys: readonly string[];
  keyIds: readonly string[];
  plantTokens: readonly string[];
  serviceTokens: readonly string[];
  clientIds: readonly string[];
  registryIds: readonly string[];
  cursors: readonly { query: string; cursor: string }[];
  version: string;
}

const HOSTILE_TEXTS = [
  ...['', ' ', '\0', 'a\0b', '\ud800', '\udc00x', '\uffff', '\u202e', '\n\r', '../..', '%', '%00', '%zz', '{{7*7}}'],
  ...["' or 1=1 --", "'; drop table items; --", '$1', '{"type":"all"}', '[]', '{"$ne":null}', 'null', 'true', 'NaN'],
  ...[
    '0',
    '-0',
    '-1',
    '01',
    '1e3',
    '1.0',
    '1.',
    '.5',
    '٣',
    '１２',
    '99999999999999999999',
    '9223372036854775808',
    '2147483648',
  ],
  ...[
    '9'.repeat(400),
    `0.${'0'.repeat(40)}1`,
    '1'.repeat(20),
    `${'1'.repeat(20)}.${'1'.repeat(20)}`,
    'Infinity',
    '0x10',
  ],
  ...[
    '2026-02-30T00:00:00Z',
    '2026-01-01',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
    '10000-01-01T00:00:00Z',
  ],
  ...['0001-01-01T00:00:00+23:59', '2026-01-01T24:00:00Z', '2026-01-01T00:00:60Z', '2026-01-01t00:00:00z', '-infinity'],
  ...[
    'WT',
    'wt',
    'WT,AR',
    'WT,,AR',
    ',',
    'WT,WT',
    'valuations,documents',
    'appraisal',
    'constructor',
    '__proto__',
    'toString',
  ],
  ...['a'.repeat(3_000), 'é'.repeat(500), '😀'.repeat(200), '\u0301'.repeat(50)],
];

const PARAMETERS = [
  ...['client_id', 'category', 'min_value', 'max_value', 'updated_since', 'include', 'page', 'page_size', 'cursor'],
  ...['source', 'since', 'limit', 'CLIENT_ID', 'client_id[]', 'page[gte]', '__proto__', 'a\0', '', 'constructor'],
];

/** Percent-encoding of any string, lone surrogates in the way that UTF-8 forbids. */
function encode(text: string): string {
  return [...text]
    .map((character) => {
      if (/[A-Za-z0-9_.~-]/.test(character)) return character;
      const code = character.codePointAt(0) ?? 0;
      const bytes =
        code >= 0xd800 && code <= 0xdfff
          ? Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)])
          : Buffer.from(character);
      return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    })
    .join('');
}

const visible = (text: string) => text.replace(/[^\x21-\x7e]|#/g, '?');
const often = <Value>(weight: number, value: fc.Arbitrary<Value>) => ({ weight, arbitrary: value });

const hostileText = fc.oneof(
  often(6, fc.constantFrom(...HOSTILE_TEXTS)),
  often(2, fc.string({ unit: 'binary', maxLength: 40 })),
  often(1, fc.string({ unit: 'grapheme', maxLength: 40 })),
  often(1, fc.json({ maxDepth: 3 })),
);
/** What a header may hold at all. */
const headerText = hostileText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'));

const wire = fc.oneof(
  often(8, hostileText.map(encode)),
  often(1, hostileText.map(visible)),
  often(1, fc.constantFrom('%', '%4', '%ff', '%c0%80', '%ED%A0%80', '+', '%2B', '%25', '%2500')),
);

const pairs = (client: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.oneof(
        often(
          9,
          client.map((id) => [`client_id=${id}`]),
        ),
        often(1, fc.constant([])),
      ),
      fc.array(
        fc.oneof(
          often(
            9,
            fc.tuple(fc.constantFrom(...PARAMETERS).map(encode), wire).map((pair) => pair.join('=')),
          ),
          often(1, wire),
        ),
        { maxLength: 3 },
      ),
      fc.constantFrom('&', '&', '&', '&&', ';'),
    )
    .map(([first, rest, glue]) => [...first, ...rest].join(glue));

const body = fc.oneof(
  often(
    3,
    fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text)),
  ),
  often(
    1,
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  ),
  often(
    1,
    hostileText.map((text) => Buffer.from(text)),
  ),
  often(
    1,
    fc.integer({ min: 1, max: 60_000 }).map((depth) => Buffer.from('['.repeat(depth))),
  ),
);

/** Strings of JSON that JSON.stringify would never write: numbers as they are, escapes of anything. */
const jsonValue = fc.oneof(
  often(
    3,
    hostileText.map((text) => JSON.stringify(text)),
  ),
  often(
    3,
    fc.constantFrom('1', '-1', '1.0', '1e2', '01', '9007199254740993', '9223372036854775808', '-9223372036854775809'),
  ),
  often(
    2,
    fc.constantFrom('"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', 'null', 'true', '[]', '{}', '"x"', '1e999', '-', ''),
  ),
);

const plantBody = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom('id', 'name', 'tag', 'id', 'name', '__proto__', 'x'), jsonValue), {
      maxLength: 5,
    }),
    fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 })),
  )
  .map(([members, id]) => {
    const given = [['id', String(id)], ['name', '"Plant"'], ...members];
    return Buffer.from(`{${given.map(([name, value]) => `"${name}":${value}`).join(',')}}`);
  });

const OPERATIONS = [
  'query($c:ID!,$t:String){assets(clientId:$c,after:$t){nodes{id title valuations{id} documents{id}} pagination{totalItems}}}',
  'query($c:ID!,$t:String!){asset(clientId:$c,registryId:$t){id notes estate{heirs{name}}}}',
  'query($c:ID!,$t:Timestamp){assets(clientId:$c,updatedSince:$t){nodes{id} removed{registryId} sync{asOf full}}}',
  'query($c:ID!,$t:Decimal){assets(clientId:$c,minValue:$t){nodes{id}}}',
  'query($c:ID!,$t:[String!]){assets(clientId:$c,categories:$t){nodes{id}}}',
  'query($t:ID!){limit(keyId:$t){used}}',
  'mutation($t:ID!,$c:String){setKeyTier(keyId:$t,tier:$c){used}}',
  'mutation($t:String!){issuePlantToken(account:$t){id}}',
  'mutation($t:String!,$c:Timestamp){issuePlantToken(account:$t,expiresAt:$c){id}}',
  '{limiterState limits{keyId used}}',
  '{__schema{types{name}}}',
  '{a:limiterState b:limiterState',
  'subscription{x}',
  '{__typename @skip(if:true)}',
];

export function hostileRequests(insider: Insider): fc.Arbitrary<HostileRequest> {
  const from = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
  const client = fc.oneof(often(8, from(insider.clientIds)), often(2, wire));
  const registryId = fc.oneof(
    often(6, from(insider.registryIds)),
    often(
      3,
      wire.map((text) => text.replaceAll('/', '%2F')),
    ),
  );
  const bearer = (secrets: readonly string[]) =>
    fc.oneof(
      often(
        12,
        from(secrets).map((secret) => ({ Authorization: `Bearer ${secret}` })),
      ),
      often(
        1,
        headerText.map((text) => ({ Authorization: text })),
      ),
      often(
        1,
        headerText.map((text) => ({ Authorization: `Bearer ${text}` })),
      ),
      often(1, fc.constant({})),
    );
  const headers = fc.record(
    {
      'If-None-Match': fc.oneof(fc.constantFrom('*', 'W/"x"', '"', ','.repeat(500), '"a","b",*'), headerText),
      'Content-Type': fc.oneof(fc.constantFrom('application/json', 'text/plain', 'multipart/form-data'), headerText),
      Accept: headerText,
      'X-Request-Id': headerText,
      Cookie: headerText,
      'X-Act-As-Key': fc.oneof(from(insider.keyIds), headerText),
    },
    { requiredKeys: [] },
  );
  // Another address each, so that refusals are not hidden behind the limit of one; now and then a hostile one.
  const address = fc.oneof(
    often(
      20,
      fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => `10.${parts.join('.')}`),
    ),
    often(1, headerText),
  );
  const version = fc.oneof(
    often(12, fc.constant({ 'X-Service-Version': insider.version })),
    often(
      1,
      headerText.map((text) => ({ 'X-Service-Version': text })),
    ),
    often(1, fc.constant({})),
  );
  const noted = (
    parts: fc.Arbitrary<{ path: string; headers: Record<string, string> } & Partial<HostileRequest>>,
    area: HostileRequest['area'],
  ) =>
    fc.tuple(parts, headers, address).map(([part, more, forwarded]) => ({
      method: 'GET',
      body: null,
      area,
      ...part,
      headers: { ...more, 'X-Forwarded-For': forwarded, ...part.headers },
    }));

  const assetPaths = fc.oneof(
    fc.constant('/api/v1/assets'),
    fc.constant('/api/v1/portfolio/summary'),
    registryId.map((id) => `/api/v1/assets/${id}`),
    registryId.map((id) => `/api/v1/assets/${id}/valuations`),
    registryId.map((id) => `/api/v1/assets/${id}/documents`),
    wire.map((text) => `/api/v1/${text}`),
    wire.map((text) => `/${text}`),
  );
  const portfolio = noted(
    fc
      .tuple(
        fc.oneof(
          often(9, fc.constant('GET')),
          often(1, fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND')),
        ),
        assetPaths,
        pairs(client),
        bearer(insider.keys),
        version,
        fc.oneof(often(9, fc.constant(null)), often(1, body)),
      )
      .map(([method, path, query, secret, dated, sent]) => ({
        method,
        path: query === '' ? path : `${path}?${query}`,
        headers: { ...secret, ...dated } as Record<string, string>,
        body: sent,
      })),
    'portfolio',
  );
  const cursors = noted(
    fc
      .tuple(from(insider.cursors), fc.nat(), hostileText, from(insider.keys))
      .map(([{ query, cursor }, at, text, secret]) => ({
        path: `${query}&cursor=${encode(tamper(cursor, at, text))}`,
        headers: { Authorization: `Bearer ${secret}`, 'X-Service-Version': insider.version },
      })),
    'portfolio',
  );
  const plants = noted(
    fc
      .tuple(
        fc.oneof(
          often(
            5,
            plantBody.map((sent) => ({ method: 'POST', path: '/plants', body: sent })),
          ),
          often(
            1,
            body.map((sent) => ({ method: 'POST', path: '/plants', body: sent })),
          ),
          often(
            3,
            fc
              .oneof(wire, fc.integer({ min: 1, max: 30 }).map(String))
              .map((text) => ({ method: 'DELETE', path: `/plants/${text.replaceAll('/', '%2F')}`, body: null })),
          ),
          often(
            2,
            wire.map((text) => ({ method: 'GET', path: `/plants?limit=${text}`, body: null })),
          ),
          often(
            1,
            fc.constantFrom('PUT', 'OPTIONS', 'PATCH').map((method) => ({ method, path: '/plants/1', body: null })),
          ),
        ),
        bearer(insider.plantTokens),
        fc.oneof(often(9, fc.constant({ 'Content-Type': 'application/json' })), often(1, fc.constant({}))),
      )
      .map(([request, secret, type]) => ({ ...request, headers: { ...type, ...secret } as Record<string, string> })),
    'plants',
  );
  const graphql = noted(
    fc
      .tuple(
        from(insider.serviceTokens),
        fc.oneof(
          often(
            9,
            fc
              .tuple(
                from(OPERATIONS),
                fc.oneof(from(insider.clientIds), hostileText),
                fc.oneof(hostileText, fc.json(), fc.integer()),
              )
              .map(([query, c, t]) => Buffer.from(JSON.stringify({ query, variables: { c, t } }))),
          ),
          often(2, body),
        ),
        fc.oneof(often(4, from(insider.keyIds)), often(1, headerText)),
      )
      .map(([token, sent, actAs]) => ({
        method: 'POST',
        path: '/graphql',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          Accept: '*/*',
          'X-Act-As-Key': actAs,
        },
        body: sent,
      })),
    'graphql',
  );
  return fc.oneof(often(6, portfolio), often(2, cursors), often(3, plants), often(2, graphql));
}

/** A cursor with one byte changed, one cut short, or a byte more. */
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
