// The software bill of materials: the packages that the server needs, with versions and hashes.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

interface Component {
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));

it('npm run sbom lists every dependency with its version and hash, and no development dependency', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'sbom'], { cwd: root, maxBuffer: 1 << 26 });
  const { bomFormat, specVersion, metadata, components } = JSON.parse(stdout) as {
    bomFormat: string;
    specVersion: string;
    metadata: { component: { purl: string; type: string } };
    components: Component[];
  };
  expect({ bomFormat, specVersion }).toEqual({ bomFormat: 'CycloneDX', specVersion: '1.5' });
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  expect(metadata.component).toMatchObject({ type: 'application', purl: `pkg:npm/portico@${own.version}` });
  const versions = new Map(components.map(({ purl, version }) => [purl.replace(/@[^@]*$/, ''), version]));
  const purl = (name: string) => `pkg:npm/${name.replace('@', '%40')}`;
  for (const [name, version] of Object.entries(own.dependencies)) expect(versions.get(purl(name)), name).toBe(version);
  for (const name of Object.keys(own.devDependencies)) expect(versions.has(purl(name)), name).toBe(false);
  for (const { name, hashes } of components) expect(hashes?.[0]?.alg, name).toMatch(/^SHA-/);
});
