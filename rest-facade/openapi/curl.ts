// REST facade, OpenAPI: a command to paste for each operation.
import { VERSION_HEADER } from '#versions/negotiate.ts';
import { REGISTRY_ID } from '../examples.ts';
import type { JsonSchema } from './json-schema.ts';

interface Body {
  body: unknown;
}

/** `version` is absent for area B. */
export function curl(
  method: string,
  path: string,
  query: Readonly<Record<string, string>>,
  version?: string,
  request?: Body,
): JsonSchema {
  const target = path.replace('{registry_id}', REGISTRY_ID).replace('{id}', '42');
  const search = new URLSearchParams(query).toString();
  const token = version === undefined ? '$ACCESS_TOKEN' : '$API_KEY';
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${target}${search === '' ? '' : `?${search}`}"`,
    `-H "Authorization: Bearer ${token}"`,
    ...(version === undefined ? [] : [`-H "${VERSION_HEADER}: ${version}"`]),
    ...(request === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(request.body)}'`]),
  ];
  return { lang: 'Shell', label: 'curl', source: lines.join(' \\\n  ') };
}
