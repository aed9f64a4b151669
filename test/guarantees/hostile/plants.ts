// Hostile requests to area B.

import fc from 'fast-check';
import { authorization, complete, type Headers, type HostileRequest, type Insider } from './request.ts';
import { hostileBody, hostileText, mix, wireSegment, wireText } from './texts.ts';

/** JSON that JSON.stringify never writes (unusual numbers, escapes of lone surrogates), and invalid JSON. */
const jsonText = mix(
  [3, hostileText.map((text) => JSON.stringify(text))],
  [3, fc.constantFrom(...'1 -1 1.0 1e2 01 9007199254740993 9223372036854775808 -9223372036854775809'.split(' '))],
  [
    2,
    fc.constantFrom('"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', 'null', 'true', '[]', '{}', '"x"', '1e999', '-', ''),
  ],
);

const smallId = fc.integer({ min: 1, max: 30 });
const member = fc.tuple(fc.constantFrom('id', 'name', 'tag', 'id', 'name', '__proto__', 'x'), jsonText);

const plantBody = fc.tuple(fc.array(member, { maxLength: 5 }), fc.oneof(smallId, fc.integer())).map(([members, id]) => {
  const given = [['id', String(id)], ['name', '"Plant"'], ...members];
  return Buffer.from(`{${given.map(([name, value]) => `"${name}":${value}`).join(',')}}`);
});

type Sent = Pick<HostileRequest, 'method' | 'path' | 'body'>;

const request = mix<Sent>(
  [5, plantBody.map((body) => ({ method: 'POST', path: '/plants', body }))],
  [1, hostileBody.map((body) => ({ method: 'POST', path: '/plants', body }))],
  [
    3,
    fc.oneof(wireSegment, smallId.map(String)).map((id) => ({ method: 'DELETE', path: `/plants/${id}`, body: null })),
  ],
  [2, wireText.map((limit) => ({ method: 'GET', path: `/plants?limit=${limit}`, body: null }))],
  [1, fc.constantFrom('PUT', 'OPTIONS', 'PATCH').map((method) => ({ method, path: '/plants/1', body: null }))],
);

export function hostilePlants({ plantTokens }: Insider): fc.Arbitrary<HostileRequest> {
  const type = mix<Headers>([9, fc.constant({ 'Content-Type': 'application/json' })], [1, fc.constant({})]);
  const whole = fc
    .tuple(request, authorization(plantTokens), type)
    .map(([sent, secret, of]) => ({ ...sent, headers: { ...of, ...secret } as Headers }));
  return complete(whole, 'plants');
}
