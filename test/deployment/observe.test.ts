// The profile `observe`: Prometheus scrapes every gateway and loads the alerts; Grafana queries it and has the
// dashboards.

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

/** The path in this repository of a path in these containers, which both mount `ops` at the same place. */
function inRepository(path: string): string {
  const mount = services.prometheus.volumes.find((volume: string) => volume.startsWith('./ops:'));
  expect(services.grafana.volumes).toContain(mount);
  const [, at = ''] = mount.split(':');
  expect(path.startsWith(`${at}/`), path).toBe(true);
  return `ops${path.slice(at.length)}`;
}

it('the configuration of Prometheus is valid and includes the alerts', () => {
  const [configuration] = services.prometheus.command.flatMap((word: string) => word.split('--config.file=').slice(1));
  expect(inRepository(configuration)).toBe(PROMETHEUS);
  const { code, output } = promtool(['check', 'config', '--syntax-only', join(root, PROMETHEUS)]);
  expect(code, output).toBe(0);
  expect(prometheus.rule_files.map(inRepository)).toEqual(['ops/prometheus/alerts.yml']);
});

it('Prometheus scrapes every gateway of every profile, with the job and interval of ops/prometheus', () => {
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

it('Grafana queries this Prometheus and has the dashboards', () => {
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
