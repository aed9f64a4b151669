// Command line: the demonstration: its data, access to them, and examples to try.
import { hashPassword } from '#auth/password.ts';
import type { Database } from '#database/database.ts';
import type { Config } from '#src/config.ts';
import { giveDemoAccess } from '#tools/demo/access.ts';
import type { DemoAccess } from '#tools/demo/grants.ts';
import {
  type DemoClient,
  ELEANOR,
  isForOthers,
  listDemoClients,
  loadDemoData,
  MATTEO,
  oldestItems,
} from '#tools/demo/load.ts';
import { DEMO_PASSWORD, type DemoSignIn, giveDemoSignIns } from '#tools/demo/sign-ins.ts';
import { LATEST_VERSION } from '#versions/index.ts';
import { CommandFailure } from './host.ts';
import { localUrlOf } from './listener-url.ts';

export interface DemoResult extends DemoAccess {
  portal: { url: string; password: string; sign_ins: DemoSignIn[] };
  /** Base URL of the public listener in this configuration. */
  base_url: string;
  version: string;
  clients: DemoClient[];
  /** Commands to paste, with a description of what each shows. */
  curl: { about: string; command: string }[];
}

/**
 * Loads the data unless they are loaded already. Revokes keys and tokens of earlier runs and makes new ones. Throws
 * CommandFailure for a database with other data.
 */
export async function loadDemo(
  database: Database,
  settings: Pick<Config, 'host' | 'port' | 'platformPrefix'> & { portalUrl?: string | undefined },
): Promise<DemoResult> {
  if (await isForOthers(database))
    throw new CommandFailure(
      'this database is not empty: the demonstration needs an empty one, because the passwords of its users are public; to serve this one, leave out --demo',
    );
  await loadDemoData(database, settings.platformPrefix);
  const access = await database.transaction(giveDemoAccess);
  const hash = await hashPassword(DEMO_PASSWORD);
  const signIns = await database.transaction((sql) => giveDemoSignIns(sql, hash));
  const clients = await listDemoClients(database);
  const items = await oldestItems(database, ELEANOR, 3);
  const place = { base_url: localUrlOf(settings.host, settings.port), version: LATEST_VERSION };
  const url = `${settings.portalUrl ?? place.base_url}/portal/`;
  const portal = { url, password: DEMO_PASSWORD, sign_ins: signIns };
  return { ...place, clients, ...access, portal, curl: commands(place, access, items) };
}

type Place = Pick<DemoResult, 'base_url' | 'version'>;

function commands({ base_url, version }: Place, { keys, plant_token }: DemoAccess, items: string[]) {
  const [wide, narrow] = keys.map(({ secret }) => secret);
  const portfolio = (about: string, secret: string | undefined, path: string, query: string) => ({
    about,
    command: `curl -H 'Authorization: Bearer ${secret}' -H 'X-Service-Version: ${version}' '${base_url}/api/v1${path}?${query}'`,
  });
  const plants = (about: string, more: string) => ({
    about,
    command: `curl -H 'Authorization: Bearer ${plant_token}' ${more}'${base_url}/plants'`,
  });
  const eleanor = `client_id=${ELEANOR}`;
  const [first, , third] = items;
  return [
    portfolio('The first items of a client who grants everything', wide, '/assets', `${eleanor}&page_size=3`),
    portfolio(
      'One item with its valuations and documents',
      wide,
      `/assets/${first}`,
      `${eleanor}&include=valuations,documents`,
    ),
    portfolio(
      'What changed since the beginning of 2025',
      wide,
      '/assets',
      `${eleanor}&updated_since=2025-01-01T00:00:00Z`,
    ),
    portfolio(
      'A summary in euro: three categories and three scopes',
      wide,
      '/portfolio/summary',
      `client_id=${MATTEO}`,
    ),
    portfolio('Values of two items, and nothing else', narrow, '/assets', eleanor),
    portfolio('Refused: an item outside that grant', narrow, `/assets/${third}`, eleanor),
    plants('A plant', `-H 'Content-Type: application/json' -d '{"id":1,"name":"Monstera","tag":"hall"}' `),
    plants('All plants', ''),
  ];
}

export function describeDemo({ clients, keys, grants, plant_token, portal, curl }: DemoResult): string {
  const width = Math.max(...portal.sign_ins.map(({ email }) => email.length));
  const nameOf = (id: string) => [...clients, ...keys].find((one) => one.id === id)?.name ?? id;
  return [
    'Clients',
    ...clients.map(
      (one) => `  ${one.id}  ${one.name}, ${one.environment}, ${one.reporting_currency}, ${one.items} items`,
    ),
    'Keys (the secrets are shown this once; the next run makes new ones)',
    ...keys.map(({ secret, name }) => `  ${secret}  ${name}`),
    'Grants',
    ...grants.map(
      (one) =>
        `  ${nameOf(one.client_id)} to "${nameOf(one.key_id)}": ${one.filter.type}; ${one.scopes.join(', ')}${
          one.expires_at === null ? '' : `; until ${one.expires_at.slice(0, 10)}`
        }`,
    ),
    'Plant store',
    `  ${plant_token}`,
    `Portal: ${portal.url}`,
    `  Everybody's password: ${portal.password}`,
    ...portal.sign_ins.map(({ email, about }) => `  ${email.padEnd(width)}  ${about}`),
    'Try',
    ...curl.flatMap(({ about, command }) => [`  # ${about}`, `  ${command}`]),
  ].join('\n');
}
