// Guarantee: a parameter is accepted in exactly its documented forms, and an invalid one is refused by name.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTimestamp } from '#core/timestamps.ts';
import { routes } from '#rest-facade/routes/index.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let asset: string;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  const item = await makeItem(gateway.database, partner.client, { market_value: '100.50' });
  await furnish(gateway.database, partner.client, item);
  asset = `/assets/${item.registryId}`;
});
afterAll(() => gateway.stop());

const digits = (count: number) => '9'.repeat(count);

const INVALID: Record<string, string[]> = {
  page: ['', '0', '01', '1.0', '-1', '%2B1', '1e0', '0x1', '%201', '1%20', 'one', '%D9%A1', '9'.repeat(40), 'null'],
  page_size: ['', '0', '101', '01', '1.0', '-5', '%2B1', '1e1', '9'.repeat(40), 'all'],
  cursor: ['', 'x', '%00', 'eyJ9', 'null'],
};
const INVALID_LIST: Record<string, string[]> = {
  ...INVALID,
  category: ['', ',', 'XX', 'wt', 'WT,', ',WT', 'WT,XX', 'WT%20', 'WT%2C%20PM', 'WT;PM', 'WT%00', '*'],
  min_value: ['', '.', '-1', '%2B1', '1e3', '1,000', '.5', '5.', '1.2.3', '%201', '0x10', 'NaN', '%D9%A1', digits(21)],
  max_value: ['', '-0', 'Infinity', `0.${digits(21)}`, '1_000', '$5'],
  include: [
    '',
    ',',
    'heirs',
    'Valuations',
    'valuations,',
    'valuations,,documents',
    'valuations%20',
    'valuations;documents',
  ],
};
const INVALID_TIMES = [
  '',
  'now',
  '2026',
  '2026-01-15',
  '2026-01-15T10:00:00',
  '2026-01-15T10:00Z',
  '2026-01-15%2010:00:00Z',
  '20260115T100000Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-32T00:00:00Z',
  '2026-01-15T24:00:00Z',
  '2026-01-15T10:60:00Z',
  '2026-01-15T10:00:61Z',
  // Leap seconds exist, but timestamps cannot represent them.
  '2016-12-31T23:59:60Z',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:00:00%2B00:01',
  '9999-12-31T23:59:59-00:01',
  '2026-01-15T10:00:00.Z',
  '2026-01-15T10:00:00,5Z',
  '2026-01-15T10:00:00%2B24:00',
  '2026-01-15T10:00:00%2B0200',
  '2026-01-15T10:00:00-2:00',
  '2026-01-15T10:00:00ZZ',
  '%202026-01-15T10:00:00Z',
  '12026-01-15T10:00:00Z',
  '1768471200',
  '2026-01-15T10:00:00Z%00',
];
const VALID_TIMES = [
  '2026-01-15T10:00:00Z',
  '2026-01-15t10:00:00z',
  '2026-01-15T10:00:00.1Z',
  '2026-01-15T10:00:00.123456789Z',
  `2026-01-15T10:00:00.${'123456789'.repeat(20)}Z`,
  '2026-01-15T12:00:00%2B02:00',
  '2026-01-15T04:30:00-05:30',
  '2024-02-29T23:59:59.999-00:00',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
];

const VALID: Record<string, string[]> = {
  page: ['1', '2', '2147483647'],
  page_size: ['1', '100'],
  category: ['WT', 'WT,PM', 'PM,WN,OT', 'WT,WT', 'PM%2CWT'],
  min_value: ['0', '00', '100.50', '100.5', digits(20), `${digits(20)}.${digits(20)}`, '0.00000000000000000001'],
  max_value: ['0', digits(20), `0.${digits(20)}`],
  include: ['valuations', 'documents', 'valuations,documents', 'documents,valuations', 'documents%2Cdocuments'],
};

const each = (table: Record<string, string[]>) =>
  Object.entries(table).flatMap(([name, values]) => values.map((value) => [name, value] as const));

describe('GET /assets refuses', () => {
  it.each(each({ ...INVALID_LIST, updated_since: INVALID_TIMES }))('%s=%s', async (name, value) => {
    expectError(await partner.get(`/assets?${name}=${value}`), 400, 'invalid_parameter', name);
  });

  it('an offset whose plus sign was decoded as a space, and says how to encode it', async () => {
    const response = await partner.get('/assets?updated_since=2026-01-15T10:00:00+02:00');
    expectError(response, 400, 'invalid_parameter', 'updated_since');
    expect(response.body.error.message).toContain('%2B');
  });

  it('an empty value with a message of its own', async () => {
    const messageOf = async (path: string) => (await partner.get(path)).body.error.message;
    expect(await messageOf('/assets?category=')).toMatch(/^category is one of AR, .*, WT\.$/);
    expect(await messageOf(`${asset}/valuations?source=`)).toMatch(/^source is one of appraisal, .*\.$/);
    expect(await messageOf('/assets?cursor=')).toBe('The cursor cannot be read.');
  });

  it('min_value above max_value, compared exactly', async () => {
    for (const [min, max] of [
      ['2', '1'],
      ['10', '9'],
      ['0.1', '0.09'],
      ['99999999999999999999', '99999999999999999998.99999999999999999999'],
    ])
      expectError(
        await partner.get(`/assets?min_value=${min}&max_value=${max}`),
        400,
        'invalid_parameter',
        'min_value',
      );
  });
});

describe('GET /assets/{registry_id}/valuations refuses', () => {
  it.each(
    each({
      ...INVALID,
      source: ['', 'hearsay', 'Appraisal', 'appraisal,spot_price', 'appraisal%00'],
      since: INVALID_TIMES,
    }),
  )('%s=%s', async (name, value) => {
    expectError(await partner.get(`${asset}/valuations?${name}=${value}`), 400, 'invalid_parameter', name);
  });
});

describe('GET /assets accepts', () => {
  it.each(each({ ...VALID, updated_since: VALID_TIMES }))('%s=%s', async (name, value) => {
    expect((await partner.get(`/assets?${name}=${value}`)).status).toBe(200);
  });

  it('equal bounds, both inclusive', async () => {
    for (const value of ['100.5', '100.50', '100.500000000']) {
      const { body } = await partner.get(`/assets?min_value=${value}&max_value=${value}`);
      expect(body.pagination.total_items).toBe(1);
    }
    expect((await partner.get('/assets?min_value=100.50000000000000000001')).body.data).toEqual([]);
    expect((await partner.get('/assets?max_value=100.49999999999999999999')).body.data).toEqual([]);
  });

  it('a repeated name in include, and includes the list once', async () => {
    const { body } = await partner.get('/assets?include=documents,documents');
    expect(body.data[0].documents).toHaveLength(2);
    expect(body.data[0]).not.toHaveProperty('valuations');
  });
});

describe('GET /assets/{registry_id}/valuations accepts', () => {
  it.each(
    each({ source: ['spot_price', 'dealer_quote', 'insurance_appraisal'], since: VALID_TIMES, page_size: ['100'] }),
  )('%s=%s', async (name, value) => {
    expect((await partner.get(`${asset}/valuations?${name}=${value}`)).status).toBe(200);
  });
});

describe('the documented schema accepts exactly what is read', () => {
  const ajv = new Ajv2020({ formats: { 'date-time': (text: string) => parseTimestamp(text) !== null } });
  const texts = [INVALID_LIST, VALID, { since: INVALID_TIMES }, { since: VALID_TIMES }]
    .flatMap(each)
    .map(([, value]) => decodeURIComponent(value));
  const parsed = (text: string, type: string) =>
    type === 'array' ? text.split(',') : type === 'integer' && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : text;
  const parameters = new Map(routes.flatMap(({ parameters }) => parameters.map((one) => [one.name, one])));
  // An empty one is refused as missing, before it is read.
  parameters.delete('client_id');
  const refuse = (rule: string): never => {
    throw new Error(rule);
  };

  it.each([...parameters])('%s', (_, { schema, read }) => {
    const validate = ajv.compile(schema);
    for (const text of texts) {
      const reads = () => read(text, refuse);
      if (validate(parsed(text, schema.type))) expect(reads, text).not.toThrow();
      else expect(reads, text).toThrow();
    }
  });
});
