// Guarantee: the JSON, the encoding, the size and the content type of a NewPlant are checked strictly.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { expectPlantError, makePlantCaller, type PlantCaller } from '#test/support/plants.ts';
import { raw } from '#test/support/raw.ts';

let gateway: TestGateway;
let caller: PlantCaller;
let nextId = 1;

beforeAll(async () => {
  gateway = await startGateway();
  caller = await makePlantCaller(gateway, 'bodies');
});
afterAll(() => gateway.stop());

const plant = (fields: Record<string, unknown>) => {
  nextId += 1;
  return JSON.stringify({ id: nextId, ...fields });
};
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

describe('JSON', () => {
  it.each([
    '',
    ' ',
    '{',
    '{"id":1,}',
    "{'id':1,'name':'x'}",
    '{"id":1,"name":"x"}}',
    '{"id":01,"name":"x"}',
    '{"id":1,"name":"x"} trailing',
    'undefined',
    '{"id":1,"name":"a\nb"}',
    '[',
    '['.repeat(60_000),
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    `{"id":1,"name":"x","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  ])('that is malformed is 400', async (text) => expectPlantError(await caller.post(text), 400));

  it.each(['null', 'true', '5', '"plant"', '[]', '[{"id":1,"name":"x"}]', '{}'])(
    'that is not a plant is 400: %s',
    async (text) => expectPlantError(await caller.post(text), 400),
  );

  it('may contain unknown fields, and the last of repeated fields counts', async () => {
    const response = await caller.post(
      `{"id":1,"id":90001,"name":"a","name":"b","colour":{"x":[1.5,1e9]},"__proto__":{"tag":"x"}}`,
    );
    expect([response.status, response.text]).toEqual([200, '{"name":"b"}']);
    expect((await caller.send('DELETE', '/plants/90001')).status).toBe(204);
  });
});

describe('fields', () => {
  it.each([
    ['no name', {}],
    ['a name that is null', { name: null }],
    ['a name that is a number', { name: 5 }],
    ['an empty name', { name: '' }],
    ['a name of 201 characters', { name: 'x'.repeat(201) }],
    ['a tag that is null', { name: 'x', tag: null }],
    ['a tag that is a list', { name: 'x', tag: [] }],
    ['a tag of 101 characters', { name: 'x', tag: 'x'.repeat(101) }],
    ['a NUL in the name', { name: 'a\0b' }],
    ['a NUL in the tag', { name: 'x', tag: '\0' }],
  ])('%s is 400', async (_what, fields) => expectPlantError(await caller.post(plant(fields)), 400));

  it('no id is 400', async () => expectPlantError(await caller.post('{"name":"x"}'), 400));

  it.each([
    ['200 letters', 'x'.repeat(200)],
    ['200 code points beyond the BMP', '🌵'.repeat(200)],
    ['combining characters as they are', 'e\u0301 é'],
    ['right to left, quotes, controls', 'שלום "\\" \u0001\u2028\t'],
    ['a single space', ' '],
  ])('a name may be %s and is returned unchanged', async (_what, name) => {
    const response = await caller.post(plant({ name, tag: name.slice(0, 100) }));
    expect([response.status, response.body]).toEqual([200, { name, tag: name.slice(0, 100) }]);
    const { body } = await caller.send('GET', '/plants?limit=1000');
    expect(body.at(-1)).toEqual({ name, tag: name.slice(0, 100) });
  });

  it('201 code points beyond the BMP are too many', async () =>
    expectPlantError(await caller.post(plant({ name: '🌵'.repeat(201) })), 400));
});

describe('characters', () => {
  it.each([
    ['Latin-1', [0xe9]],
    ['a continuation byte alone', [0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf5, 0x80, 0x80, 0x80]],
  ])('that are not UTF-8 are 400: %s', async (_what, wrong) => {
    expectPlantError(await caller.post(bytes('{"id":1,"name":"', wrong, '"}')), 400);
  });

  it.each(['\\ud800', '\\udc00', '\\udc00\\ud800', 'a\\ud83cb'])('a lone surrogate is 400: %s', async (escaped) => {
    expectPlantError(await caller.post(`{"id":1,"name":"${escaped}"}`), 400);
    expectPlantError(await caller.post(`{"id":1,"name":"x","tag":"${escaped}"}`), 400);
  });

  it('an escaped pair of surrogates is the character it stands for', async () => {
    expect((await caller.post(`{"id":90010,"name":"\\ud83c\\udf35"}`)).body).toEqual({ name: '🌵' });
  });
});

describe('size', () => {
  const padded = (size: number) => {
    const start = `{"id":${nextId++},"name":"x","filler":"`;
    return `${start}${'y'.repeat(size - start.length - 2)}"}`;
  };

  it('of 64 KiB is accepted, and one byte more is 413', async () => {
    expect((await caller.post(padded(65_536))).status).toBe(200);
    expectPlantError(await caller.post(padded(65_537)), 413);
  });

  it('is checked while a body without Content-Length arrives', async () => {
    const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
    const head = `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${caller.token}\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const response = await raw(gateway.url, head + chunk.repeat(9));
    expectPlantError(response, 413);
  });

  it('within the limit is accepted in chunks', async () => {
    const body = plant({ name: 'Chunked' });
    const head = `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${caller.token}\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunks = [...body].map((letter) => `1\r\n${letter}\r\n`).join('');
    expect((await raw(gateway.url, `${head}${chunks}0\r\n\r\n`)).status).toBe(200);
  });
});

describe('a body whose sender disconnects', () => {
  it('is counted as malformed and not as a failure', async () => {
    const { port } = new URL(gateway.url);
    const head = `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${caller.token}\r\nContent-Type: application/json\r\n`;
    const partial = `${head}Content-Length: 99\r\n\r\n{"id"`;
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(partial, () => socket.destroy()));
    const counted = async () => sampleOf(await scrape(gateway.internalUrl), 'portico_refusals_total', MALFORMED);
    await expect.poll(counted).toBe(1);
    expect(sampleOf(await scrape(gateway.internalUrl), 'portico_failures_total')).toBe(0);
  });
});

const MALFORMED = { area: 'plants', code: 'malformed_request' };

describe('content type', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('%s is accepted', async (type) => {
    expect((await caller.post(plant({ name: 'x' }), { 'Content-Type': type })).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=iso-8859-1',
    'application/jsonp',
    'application/vnd.plants+json',
    'application',
    'nonsense',
    'a/b/c',
    ', application/json',
    '*/*',
  ])('%s is 415', async (type) => {
    expectPlantError(await caller.post(plant({ name: 'x' }), { 'Content-Type': type }), 415);
  });

  it('a compressed body is 415', async () => {
    const body = plant({ name: 'x' });
    for (const coding of ['gzip', 'GZIP', 'deflate, gzip', 'nonsense'])
      expectPlantError(await caller.post(body, { 'Content-Encoding': coding }), 415);
    expect((await caller.post(body, { 'Content-Encoding': 'Identity' })).status).toBe(200);
  });

  it('a missing content type is 415', async () => {
    const response = await raw(
      gateway.url,
      `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${caller.token}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    expectPlantError(response, 415);
  });
});
