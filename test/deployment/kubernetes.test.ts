// The manifests in ops/kubernetes: sound by the schemas of Kubernetes, without unknown fields, and of one piece.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTING_NAMES } from '#test/support/setting-names.ts';

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const BASE = join(root, 'ops/kubernetes/base');
const files = readdirSync(BASE).filter((name) => name !== 'kustomization.yaml');
const manifests = files.flatMap((name) =>
  parseAllDocuments(readFileSync(join(BASE, name), 'utf8')).map((document) => document.toJS() as Manifest),
);

/** As the package of the schemas names its folders: the core group has none. */
const moduleOf = ({ apiVersion, kind }: Manifest) => `kubernetes-models/${apiVersion}/${kind}`;

/** What the schema says against it, or null. Required fields, types and choices. */
async function schemaFault(manifest: Manifest): Promise<string | null> {
  const module = await import(moduleOf(manifest));
  try {
    new module[manifest.kind](manifest).validate();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What the compiler says of them as literals of their types: the schemas of Kubernetes refuse no unknown field, types do. */
async function unknownFields(all: readonly Manifest[]): Promise<string> {
  const directory = mkdtempSync(join(inject('directory'), 'manifests-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    const lines = all.map((manifest, index) => {
      const type = `I${manifest.kind}`;
      return `import type { ${type} as T${index} } from '${moduleOf(manifest)}';
export const m${index}: T${index} = ${JSON.stringify(manifest, null, 1)};`;
    });
    writeFileSync(join(directory, 'manifests.ts'), lines.join('\n'));
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'esnext', types: [] };
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck: true }, files: ['manifests.ts'] }),
    );
    const compile = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', directory]);
    return await compile.then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a manifest whose fields the schema has been asked about.
const one = (kind: string, name = 'portico'): any =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

describe('by the schemas of Kubernetes', () => {
  it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s is sound',
    async (_name, manifest) => {
      expect(await schemaFault(manifest)).toBeNull();
    },
  );

  it('no field is unknown', async () => {
    expect(await unknownFields(manifests)).toBe('');
  });

  it('a fault would be noticed', async () => {
    const deployment = structuredClone(one('Deployment'));
    deployment.spec.template.spec.containers[0].ports[0].containerPort = 'public';
    expect(await schemaFault(deployment)).toContain('containerPort');
    const misspelt = structuredClone(one('Deployment'));
    misspelt.spec.template.spec.containers[0].livenessprobe = {};
    expect(await unknownFields([misspelt])).toContain('livenessprobe');
  });
});

it('the kustomization has every file', () => {
  const { resources } = parse(readFileSync(join(BASE, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
  expect([...resources].sort()).toEqual([...files].sort());
});

describe('what runs', () => {
  const pods = [one('Deployment'), one('Job', 'portico-migration')].map(({ spec }) => spec.template.spec);
  const [gateway] = one('Deployment').spec.template.spec.containers;

  it('has no rights, and writes nowhere but where it may', () => {
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(pod.containers).toHaveLength(1);
      expect(pod.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('is asked on the internal port, and started anew only where the process itself does not answer', () => {
    const internal = gateway.ports.find(({ name }: { name: string }) => name === 'internal');
    expect(internal.containerPort).toBe(8081);
    const path = (probe: string) => gateway[probe].httpGet;
    expect(path('livenessProbe')).toEqual({ path: '/livez', port: 'internal' });
    expect(path('readinessProbe')).toEqual({ path: '/readyz', port: 'internal' });
    expect(path('startupProbe')).toEqual({ path: '/livez', port: 'internal' });
  });

  it('has longer to end than it takes', () => {
    const delay = Number(one('ConfigMap').data.DRAIN_DELAY_MS) / 1000;
    expect(one('Deployment').spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(delay + 25);
    const { periodSeconds, timeoutSeconds, failureThreshold } = gateway.readinessProbe;
    expect(delay).toBeGreaterThanOrEqual((periodSeconds + timeoutSeconds) * failureThreshold);
  });

  it('is configured by settings that there are, and no secret stands in a manifest', () => {
    const names = [...Object.keys(one('ConfigMap').data), ...gateway.env.map(({ name }: { name: string }) => name)];
    for (const name of names) expect(SETTING_NAMES).toContain(name);
    for (const pod of pods)
      for (const variable of pod.containers[0].env)
        expect(variable.valueFrom.secretKeyRef).toEqual({ name: 'portico', key: variable.name });
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  });
});

describe('what belongs together is named alike', () => {
  const { labels } = one('Deployment').spec.template.metadata;

  it.each([
    ['the deployment', one('Deployment').spec.selector.matchLabels],
    ['the service', one('Service').spec.selector],
    ['the internal service', one('Service', 'portico-internal').spec.selector],
    ['the disruption budget', one('PodDisruptionBudget').spec.selector.matchLabels],
  ])('%s means the gateways', (_name, selector) => {
    expect(labels).toMatchObject(selector);
  });

  it('the autoscaler means the deployment, which leaves the number to it', () => {
    expect(one('HorizontalPodAutoscaler').spec.scaleTargetRef).toMatchObject({ kind: 'Deployment', name: 'portico' });
    expect(one('Deployment').spec).not.toHaveProperty('replicas');
  });

  it('the network policy lets partners reach the public port alone', () => {
    const { ingress, podSelector } = one('NetworkPolicy').spec;
    expect(podSelector.matchExpressions[0].values).toEqual(['gateway', 'migration']);
    const ports = ingress.map((rule: { ports: { port: number }[] }) => rule.ports.map(({ port }) => port));
    expect(ports).toEqual([[8080], [8081]]);
  });
});
