// Guarantee: over HTTP the tools' endpoint answers tools alone, and whatever else is sent there hears what is wrong with it.

import { expect, it } from 'vitest';
import { graphql, withToolScene } from '#test/support/tools.ts';

const scene = withToolScene();
const query = '{ limiterState }';

it('no page of another site may read an answer: there are no CORS headers', async () => {
  const { gateway, token } = scene;
  const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' };
  const at = `${gateway.internalUrl}/graphql`;
  const authorized = { ...headers, Authorization: `Bearer ${token}` };
  const responses = [
    await fetch(at, { method: 'OPTIONS', headers: authorized }),
    await fetch(`${at}?query=${encodeURIComponent(query)}`, { headers: authorized }),
    await graphql(gateway.internalUrl, token, { query }, { headers }),
    await graphql(gateway.internalUrl, token, { query: '{ nothing }' }, { headers }),
  ];
  for (const response of responses)
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(responses.slice(1).map(({ status }) => status)).toEqual([200, 200, 200]);
});
