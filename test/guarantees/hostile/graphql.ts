// Hostile operations of internal tools.

import fc from 'fast-check';
import { TOOL_OPERATIONS } from '#test/support/sample-requests.ts';
import { complete, type HostileRequest, type Insider } from './request.ts';
import { headerText, hostileBody, hostileText, mix } from './texts.ts';

const OPERATIONS = [
  ...TOOL_OPERATIONS,
  '{__schema{types{name}}}',
  '{a:limiterState b:limiterState',
  'subscription{x}',
  '{__typename @skip(if:true)}',
];

export function hostileGraphql({ serviceTokens, clientIds, keyIds }: Insider): fc.Arbitrary<HostileRequest> {
  const value = fc.oneof<fc.Arbitrary<unknown>[]>(hostileText, fc.json(), fc.integer());
  const operation = fc
    .tuple(fc.constantFrom(...OPERATIONS), fc.oneof(fc.constantFrom(...clientIds), hostileText), value)
    .map(([query, c, t]) => Buffer.from(JSON.stringify({ query, variables: { c, t } })));
  const request = fc
    .tuple(
      fc.constantFrom(...serviceTokens),
      mix([9, operation], [2, hostileBody]),
      mix([4, fc.constantFrom(...keyIds)], [1, headerText]),
    )
    .map(([token, body, actAs]) => ({
      ...{ method: 'POST', path: '/graphql', body },
      headers: {
        ...{ Authorization: `Bearer ${token}`, 'X-Act-As-Key': actAs },
        ...{ 'Content-Type': 'application/json', Accept: '*/*' },
      },
    }));
  return complete(request, 'graphql');
}
