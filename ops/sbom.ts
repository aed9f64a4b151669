// Writes the bill of materials of the server's runtime packages (CycloneDX, JSON), from the lock file.
//
// npm's own `--omit` also leaves out runtime packages that another package uses for development. So `npm sbom` lists
// all packages, and the marks in the lock file tell which of them `npm ci --omit=dev --omit=optional`, and so the
// image, omits.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Locked {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  link?: boolean;
}

interface Component {
  'bom-ref': string;
  purl: string;
}

interface Bill {
  metadata: { component: Component & { name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const root = fileURLToPath(new URL('../', import.meta.url));
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  packages: Record<string, Locked>;
};
const { name } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { name: string };

const words = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const bill = JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })) as Bill;

/**
 * Package names as in package URLs. Links are left out: the only one is the portal's workspace, whose pages are built
 * beforehand.
 */
const runs = new Set(
  Object.entries(packages).flatMap(([path, { version, dev, optional, devOptional, link }]) => {
    const named = /^.*node_modules\/(.+)$/.exec(path)?.[1];
    const left = named === undefined || dev || optional || devOptional || link;
    return left ? [] : [`pkg:npm/${named.replace('@', '%40')}@${version}`];
  }),
);

bill.metadata.component.name = name;
bill.components = bill.components.filter(({ purl }) => runs.has(purl));
const kept = new Set([bill.metadata.component['bom-ref'], ...bill.components.map((component) => component['bom-ref'])]);
bill.dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
