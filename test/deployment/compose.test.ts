// docker-compose.yml: valid by the schema of the compose specification, complete for each profile, and hardened.

import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DCLinter } from 'dclint';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { SETTING_NAMES } from '#test/support/setting-names.ts';

interface Service {
  image?: string;
  build?: string;
  profiles?: string[];
  depends_on?: string[] | Record<string, { condition: string }>;
  environment?: Record<string, string>;
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  ports?: string[];
  command?: string[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const FILE = join(root, 'docker-compose.yml');
const { services, volumes: named } = parse(readFileSync(FILE, 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};

const dependencies = ({ depends_on = [] }: Service) =>
  Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
const gateways = Object.entries(services).filter(([, { build }]) => build !== undefined);

/** The service and all services that it depends on. */
function startedWith(name: string): Set<string> {
  const all = new Set([name]);
  for (const one of all) for (const other of dependencies(services[one] ?? {})) all.add(other);
  return all;
}

/** Errors of a file by the schema of the specification and the linter's rules, without those of style. */
function faultsOf(file: string) {
  const rules = {
    'no-duplicate-container-names': 2,
    'no-duplicate-exported-ports': 2,
    'no-unbound-port-interfaces': 2,
    'service-image-require-explicit-tag': 2,
  } as const;
  const linter = new DCLinter({ rules: { ...rules }, quiet: false, debug: false, exclude: [] });
  const results: { messages: { type: string; rule: string; message: string }[] }[] = linter.lintFiles([file], false);
  const messages = results.flatMap((result) => result.messages);
  return messages.filter(({ type }) => type === 'error').map(({ rule, message }) => ({ rule, message }));
}

it('is valid, pins image versions, and publishes ports on the loopback interface only', () => {
  expect(faultsOf(FILE)).toEqual([]);
});

it.each([
  ['an unknown key', 'read_only: true', 'readonly: true', 'invalid-schema'],
  ['a port on every interface', '"127.0.0.1:8090:8080"', '"8090:8080"', 'no-unbound-port-interfaces'],
  ['an image without a version', 'haproxy:3.2', 'haproxy', 'service-image-require-explicit-tag'],
])('the linter reports %s', (_name, text, instead, rule) => {
  const file = join(inject('directory'), 'docker-compose.yml');
  const broken = readFileSync(FILE, 'utf8').replace(text, instead);
  writeFileSync(file, broken);
  expect(faultsOf(file)).toContainEqual(expect.objectContaining({ rule }));
});

it('refers to existing services, volumes and files', () => {
  for (const [name, service] of Object.entries(services)) {
    for (const other of dependencies(service)) expect(services, name).toHaveProperty([other]);
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('./')) expect(existsSync(join(root, source)), `${name}: ${source}`).toBe(true);
      else expect(named, name).toHaveProperty([source]);
    }
  }
  for (const script of ['primary.sh', 'replica.sh', 'cluster.sh'])
    expect(statSync(join(root, 'ops/compose', script)).mode & 0o111).not.toBe(0);
});

it('every variable has a default', () => {
  const variables = [...readFileSync(FILE, 'utf8').matchAll(/\$\{(\w+)(:-)?/g)];
  expect(variables.length).toBeGreaterThan(0);
  expect(variables.filter(([, , otherwise]) => otherwise === undefined)).toEqual([]);
});

it('every profile is complete: it starts the dependencies of its services', () => {
  for (const [name, { profiles, ...service }] of Object.entries(services))
    for (const other of dependencies(service)) {
      const theirs = services[other]?.profiles;
      const isStarted = theirs === undefined || profiles?.every((profile) => theirs.includes(profile));
      expect(isStarted, `${name} waits for ${other}`).toBe(true);
    }
});

describe('what is started', () => {
  const started = (name: string) => [...startedWith(name)].sort();
  const inProfile = (profile: string) =>
    Object.entries(services).flatMap(([name, { profiles = [] }]) => (profiles.includes(profile) ? [name] : []));

  it('without a profile: the demonstration and its dependencies', () => {
    const plain = Object.entries(services).flatMap(([name, { profiles }]) => (profiles === undefined ? [name] : []));
    expect(plain.sort()).toEqual(started('gateway'));
    expect(plain).toEqual(['gateway', 'migrate', 'postgres', 'redis']);
    expect(services.gateway?.command).toEqual(['serve', '--demo']);
  });

  it('by `scale`: three gateways on a Cluster of six, a primary and a replica, behind one address', () => {
    const scaled = startedWith('haproxy');
    expect(inProfile('scale').filter((name) => !scaled.has(name))).toEqual([]);
    expect([...scaled].filter((name) => /^gateway-\d$/.test(name))).toHaveLength(3);
    expect([...scaled].filter((name) => /^redis-\d$/.test(name))).toHaveLength(6);
    expect(started('haproxy')).toEqual(expect.arrayContaining(['migrate', 'postgres', 'postgres-replica']));
    expect(started('haproxy')).not.toContain('gateway');
  });

  it('by `observe`: Prometheus and Grafana', () => {
    expect(inProfile('observe').sort()).toEqual(['grafana', 'prometheus']);
    expect(started('grafana')).toEqual(['grafana', 'prometheus']);
  });
});

it('every gateway waits for the migrations', () => {
  const serving = gateways.filter(([name]) => name !== 'migrate');
  expect(serving.length).toBe(4);
  for (const [, { depends_on }] of serving)
    expect(depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } });
});

it('gateways run read-only without capabilities, with known settings only', () => {
  for (const [name, service] of gateways) {
    expect({ name, ...service }).toMatchObject({ name, read_only: true, cap_drop: ['ALL'] });
    for (const setting of Object.keys(service.environment ?? {})) expect(SETTING_NAMES).toContain(setting);
    // The internal listener is not published.
    expect((service.ports ?? []).filter((port) => port.endsWith(':8081'))).toEqual([]);
  }
});

it('documents start existing services', () => {
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const started = documents.flatMap((text) => [...text.matchAll(/docker compose (?:up|run)((?: -[\w-]+)*) ([\w-]+)/g)]);
  expect(started.length).toBeGreaterThan(2);
  expect(started.map(([, , name]) => name).filter((name = '') => !(name in services))).toEqual([]);
});
