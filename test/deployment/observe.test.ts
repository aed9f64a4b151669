// The profile `observe`: Prometheus scrapes the gateways there are and knows the alerts, Grafana asks it and has the dashboards.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { promtool } from '#test/support/promtool.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const { services } = parse(read('docker-compose.yml'), { merge: true });
const PROMETHEUS = 'ops/compose/prometheus.yml';
const prometheus = parse(read(PROMETHEUS));
const PROVISIONING = 'ops/compose/grafana';

/** Where a path of these containers is in this repository: both have `ops` mounted at the same place. */
function inRepository(path: string): string {
  const mount = services.prometheus.volumes.find((volume: string) => volume.startsWith('./ops:'));
  expect(services.grafana.volumes).toContain(mount);
  const [, at = ''] = mount.split(':');
  expect(path.startsWith(`${at}/`), path).toBe(true);
  return `ops${path.slice(at.length)}`;
}

it('Prometheus gets a sound configuration, with the alerts', () => {
  const [configuration] = services.prometheus.command.flatMap((word: string) => word.split('--config.file=').slice(1));
  expect(inRepository(configuration)).toBe(PROMETHEUS);
  const { code, output } = promtool(['check', 'config', '--syntax-only', join(root, PROMETHEUS)]);
  expect(code, output).toBe(0);
  expect(prometheus.rule_files.map(inRepository)).toEqual(['ops/prometheus/alerts.yml']);
});

it('Prometheus scrapes every gateway of every profile, as the alerts call them and as often as elsewhere', () => {
  const [job, ...others] = prometheus.scrape_configs;
  expect(others).toEqual([]);
  const serving = Object.keys(services).filter((name) => services[name].build !== undefined && name !== 'migrate');
  const [{ names, port }] = job.dns_sd_configs;
  expect({ job: job.job_name, names: [...names].sort(), port }).toEqual({
    job: 'portico',
    names: serving.sort(),
    port: 8081,
  });
  expect(prometheus.global).toEqual(parse(read('ops/prometheus/prometheus.yml')).global);
});

it('Grafana asks that Prometheus, and finds the dashboards', () => {
  expect(inRepository(services.grafana.environment.GF_PATHS_PROVISIONING)).toBe(PROVISIONING);
  const { datasources } = parse(read(`${PROVISIONING}/datasources/prometheus.yml`));
  expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }]);
  const [published] = services.prometheus.ports;
  expect(published.split(':').at(-1)).toBe('9090');
  const { providers } = parse(read(`${PROVISIONING}/dashboards/portico.yml`));
  for (const { options } of providers) {
    const folder = inRepository(options.path);
    expect(existsSync(join(root, folder))).toBe(true);
    expect(readdirSync(join(root, folder))).toContain('portico.json');
  }
});
