// Every example of the reference runs unchanged against the demo data: each curl, TypeScript and Python program.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDemo } from '#cli/demo.ts';
import { escapeHtml } from '#core/html.ts';
import { errorReference } from '#core/remedies.ts';
import { SAMPLE_VARIABLES } from '#rest-facade/openapi/code-samples.ts';
import type { OpenApiDocument } from '#rest-facade/openapi.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';

const run = promisify(execFile);

interface Sample {
  lang: string;
  source: string;
}

let gateway: TestGateway;
let document: OpenApiDocument;
let folder: string;
let variables: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway();
  folder = await mkdtemp(join(tmpdir(), 'portico-examples-'));
  document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApiDocument;
  const demo = await loadDemo(gateway.database, { host: '127.0.0.1', port: 0, platformPrefix: 'PTC' });
  const [client] = demo.clients;
  const headers = { Authorization: `Bearer ${demo.keys[0]?.secret}`, 'X-Service-Version': demo.version };
  const list = await fetch(`${gateway.url}/api/v1/assets?client_id=${client?.id}`, { headers });
  const { data } = (await list.json()) as { data: { registry_id: string }[] };
  variables = {
    BASE_URL: gateway.url,
    API_KEY: demo.keys[0]?.secret ?? '',
    CLIENT_ID: client?.id ?? '',
    REGISTRY_ID: data[0]?.registry_id ?? '',
    ACCESS_TOKEN: demo.plant_token,
  };
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await gateway?.stop();
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      method === 'head' ? [] : [{ name: `${method} ${path}`, samples: operation['x-codeSamples'] as Sample[] }],
    ),
  );

/** What the program prints; rejects if it fails. */
async function output({ lang, source }: Sample): Promise<string> {
  const options = { env: { PATH: process.env.PATH ?? '', ...variables } };
  if (lang === 'Shell') return (await run('sh', ['-c', source.replace(/^curl /, 'curl --silent ')], options)).stdout;
  const file = join(folder, lang === 'Python' ? 'example.py' : 'example.mts');
  await writeFile(file, source);
  return (await run(lang === 'Python' ? 'python3' : process.execPath, [file], options)).stdout;
}

describe.each(['Shell', 'TypeScript', 'Python'])('the examples in %s', (lang) => {
  it('exist for every endpoint, and each gets its response', async () => {
    // In order: each language creates a plant before it deletes it.
    for (const { name, samples } of operations()) {
      const sample = samples.find((one) => one.lang === lang);
      expect(sample, name).toBeDefined();
      const printed = await output(sample as Sample);
      expect(printed, name).not.toMatch(/['"]?error['"]?:/);
      const expected = { get: /data|\[/, post: /Monstera/, delete: lang === 'Shell' ? /^$/ : /204/ };
      expect(printed, name).toMatch(expected[name.split(' ')[0] as keyof typeof expected]);
    }
  });
});

it('the reference page shows each example', async () => {
  const page = await (await fetch(`${gateway.url}/docs`)).text();
  for (const { name, samples } of operations())
    for (const { lang, source } of samples) expect(page.includes(escapeHtml(source)), `${name} ${lang}`).toBe(true);
});

it('the first call of the introduction runs', async () => {
  const [, source = ''] = /```sh\n(curl [\s\S]*?)\n```/.exec(document.info.description) ?? [];
  expect(JSON.parse(await output({ lang: 'Shell', source })).data).not.toEqual([]);
});

it('the introduction names every variable that the examples read', () => {
  for (const name of SAMPLE_VARIABLES) expect(document.info.description).toContain(name);
});

it('the reference page links each error code to its explanation', async () => {
  const page = await (await fetch(`${gateway.url}/docs`)).text();
  const codes = [...page.matchAll(/<a href="(#error-[a-z_]+)"><code>([a-z_]+)<\/code>/g)];
  expect(codes.length).toBeGreaterThan(20);
  for (const [, target, code = ''] of codes) expect(`/docs${target}`).toBe(errorReference(code));
});
