// REST facade, OpenAPI: each operation as a program to paste: curl, TypeScript and Python, with no dependencies. The
// reader's own values come from environment variables, whose names the introduction gives.
import type { JsonSchema } from './json-schema.ts';

/** Set once by the reader. Tests also set them, and run every sample. */
export const SAMPLE_VARIABLES = ['BASE_URL', 'API_KEY', 'CLIENT_ID', 'REGISTRY_ID', 'ACCESS_TOKEN'] as const;

interface Sample {
  method: string;
  /** Path and query; `{NAME}` marks a variable. */
  target: string;
  token: 'API_KEY' | 'ACCESS_TOKEN';
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Whether there is a response body to print. */
  answers: boolean;
}

export function codeSamples(sample: Sample): JsonSchema[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(sample) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(sample) },
    { lang: 'Python', label: 'Python', source: python(sample) },
  ];
}

/** All headers except the authorization, which contains a variable. */
const plainHeaders = ({ headers = {}, body }: Sample) =>
  Object.entries({ ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) });

const withVariables = (text: string, write: (name: string) => string) =>
  text.replace(/\{([A-Z_]+)\}/g, (_, name: string) => write(name));

function curl(sample: Sample): string {
  const { method, target, token, body } = sample;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${withVariables(target, (name) => `$${name}`)}"`,
    `-H "Authorization: Bearer $${token}"`,
    ...plainHeaders(sample).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body)}'`]),
  ];
  return lines.join(' \\\n  ');
}

function typescript(sample: Sample): string {
  const { method, target, token, body, answers } = sample;
  const place = withVariables(target, (name) => `\${${name}}`);
  const named = SAMPLE_VARIABLES.filter(
    (name) => name === 'BASE_URL' || name === token || target.includes(`{${name}}`),
  );
  return [
    `const { ${named.join(', ')} } = process.env;`,
    '',
    `const response = await fetch(\`\${BASE_URL}${place}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    `    Authorization: \`Bearer \${${token}}\`,`,
    ...plainHeaders(sample).map(([name, value]) => `    '${name}': '${value}',`),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    `console.log(${answers ? 'await response.json()' : 'response.status'});`,
  ].join('\n');
}

function python(sample: Sample): string {
  const { method, target, token, body, answers } = sample;
  const variable = (name: string) => `{os.environ['${name}']}`;
  return [
    ...(answers || body !== undefined ? ['import json'] : []),
    'import os',
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    f"${variable('BASE_URL')}${withVariables(target, variable)}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    `        "Authorization": f"Bearer ${variable(token)}",`,
    ...plainHeaders(sample).map(([name, value]) => `        "${name}": "${value}",`),
    '    },',
    // The bodies contain only texts and whole numbers, which both languages write alike.
    ...(body === undefined ? [] : [`    data=json.dumps(${JSON.stringify(body)}).encode(),`]),
    ')',
    'with urlopen(request) as response:',
    `    print(${answers ? 'json.load(response)' : 'response.status'})`,
  ].join('\n');
}
