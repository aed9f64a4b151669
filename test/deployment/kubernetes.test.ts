// The manifests in ops/kubernetes: valid by the schemas of Kubernetes, without unknown fields, and consistent.

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
const COMMANDS = '../commands.yaml';
const manifests = [...files, COMMANDS].flatMap((name) =>
  parseAllDocuments(readFileSync(join(BASE, name), 'utf8')).map((document) => document.toJS() as Manifest),
);

/** The module of the schema in kubernetes-models. */
const moduleOf = ({ apiVersion, kind }: Manifest) => `kubernetes-models/${apiVersion}/${kind}`;

/** The error of the schema, which checks required fields, types and enumerations, or null. */
async function schemaFault(manifest: Manifest): Promise<string | null> {
  const module = await import(moduleOf(manifest));
  try {
    new module[manifest.kind](manifest).validate();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The errors of the TypeScript compiler for the manifests: the schemas accept unknown fields, types do not. */
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

// biome-ignore lint/suspicious/noExplicitAny: the fields of a manifest are checked by its schema.
const one = (kind: string, name = 'portico'): any =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

describe('the schemas of Kubernetes', () => {
  it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    'accept %s',
    async (_name, manifest) => {
      expect(await schemaFault(manifest)).toBeNull();
    },
  );

  it('know every field', async () => {
    expect(await unknownFields(manifests)).toBe('');
  });

  it('refuse a wrong type and an unknown field', async () => {
    const deployment = structuredClone(one('Deployment'));
    deployment.spec.template.spec.containers[0].ports[0].containerPort = 'public';
    expect(await schemaFault(deployment)).toContain('containerPort');
    const misspelt = structuredClone(one('Deployment'));
    misspelt.spec.template.spec.containers[0].livenessprobe = {};
    expect(await unknownFields([misspelt])).toContain('livenessprobe');
  });
});

it('the kustomization lists every file', () => {
  const { resources } = parse(readFileSync(join(BASE, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
  expect([...resources].sort()).toEqual([...files].sort());
});

describe('the pods', () => {
  const commands = one('Pod', 'portico-commands').spec;
  const pods = [
    ...[one('Deployment'), one('Job', 'portico-migration')].map(({ spec }) => spec.template.spec),
    commands,
  ];
  const [gateway] = one('Deployment').spec.template.spec.containers;

  it('run without privileges and with a read-only root file system', () => {
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

  it('are probed on the internal port, and restarted only by /livez', () => {
    const internal = gateway.ports.find(({ name }: { name: string }) => name === 'internal');
    expect(internal.containerPort).toBe(8081);
    const path = (probe: string) => gateway[probe].httpGet;
    expect(path('livenessProbe')).toEqual({ path: '/livez', port: 'internal' });
    expect(path('readinessProbe')).toEqual({ path: '/readyz', port: 'internal' });
    expect(path('startupProbe')).toEqual({ path: '/livez', port: 'internal' });
  });

  it('have a longer grace period than a stop takes, and drain longer than readiness needs to fail', () => {
    const delay = Number(one('ConfigMap').data.DRAIN_DELAY_MS) / 1000;
    expect(one('Deployment').spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(delay + 25);
    const { periodSeconds, timeoutSeconds, failureThreshold } = gateway.readinessProbe;
    expect(delay).toBeGreaterThanOrEqual((periodSeconds + timeoutSeconds) * failureThreshold);
  });

  it('have known settings only, and secrets from a Secret that is not in the manifests', () => {
    const names = [...Object.keys(one('ConfigMap').data), ...gateway.env.map(({ name }: { name: string }) => name)];
    for (const name of names) expect(SETTING_NAMES).toContain(name);
    for (const pod of pods)
      for (const variable of pod.containers[0].env)
        expect(variable.valueFrom.secretKeyRef).toEqual({ name: 'portico', key: variable.name });
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  });

  it('for commands have the settings of the gateways', () => {
    const [{ envFrom, env }] = commands.containers;
    expect({ envFrom, env }).toEqual({ envFrom: gateway.envFrom, env: gateway.env });
  });
});

describe('selectors and names match', () => {
  const { labels } = one('Deployment').spec.template.metadata;

  it.each([
    ['the deployment', one('Deployment').spec.selector.matchLabels],
    ['the service', one('Service').spec.selector],
    ['the internal service', one('Service', 'portico-internal').spec.selector],
    ['the disruption budget', one('PodDisruptionBudget').spec.selector.matchLabels],
  ])('%s selects the gateways', (_name, selector) => {
    expect(labels).toMatchObject(selector);
  });

  it('the autoscaler scales the deployment, which sets no number of replicas', () => {
    expect(one('HorizontalPodAutoscaler').spec.scaleTargetRef).toMatchObject({ kind: 'Deployment', name: 'portico' });
    expect(one('Deployment').spec).not.toHaveProperty('replicas');
  });

  it('the network policy opens the public and the internal port in separate rules', () => {
    const { ingress, podSelector } = one('NetworkPolicy').spec;
    expect(podSelector.matchExpressions[0].values).toEqual(['gateway', 'migration', 'commands']);
    const ports = ingress.map((rule: { ports: { port: number }[] }) => rule.ports.map(({ port }) => port));
    expect(ports).toEqual([[8080], [8081]]);
  });
});
