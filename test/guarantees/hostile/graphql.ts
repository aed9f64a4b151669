// Hostile operations of internal tools.

import fc from 'fast-check';
import { complete, type HostileRequest, type Insider } from './request.ts';
import { headerText, hostileBody, hostileText, mix } from './texts.ts';

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
