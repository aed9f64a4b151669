// REST facade: the API reference for people (`/docs`) and programs (`/openapi.json`, `/openapi.yaml`), generated on
// demand from the definitions that serve requests; `?version=` selects the version.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { lazy } from '#core/lazy.ts';
import type { Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { Reference } from '#gateway/reference.ts';
import type { Negotiator } from '#versions/negotiate.ts';
import { matches } from './etag.ts';
import type { OpenApiDocument } from './openapi.ts';
import { ASSETS } from './reference/assets.ts';

/** The page loads only its own files and sends nothing, because it shares its origin with the portal's sessions. */
const HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

interface Leaf {
  path: string;
  type: string;
  write(document: OpenApiDocument, dates: readonly string[]): Promise<string>;
}

/** What writes them is imported on demand: a gateway starts without it. */
const LEAVES: readonly Leaf[] = [
  {
    path: '/docs',
    type: 'text/html; charset=utf-8',
    write: async (document, dates) => (await import('./reference/page.ts')).referencePage(document, dates),
  },
  {
    path: '/openapi.json',
    type: 'application/json; charset=utf-8',
    write: async (document) => JSON.stringify(document),
  },
  {
    path: '/openapi.yaml',
    type: 'application/yaml; charset=utf-8',
    // Compatible with YAML 1.1, which many readers use and in which an unquoted date is not text.
    write: async (document) =>
      (await import('yaml')).stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 }),
  },
];

interface Content {
  type: string;
  body: string | Buffer;
  tag: string;
}

const tagged = (type: string, body: string | Buffer): Content => ({
  type,
  body,
  tag: `W/"${hash('sha1', body, 'base64url')}"`,
});

const FILES: readonly { path: string; content: Content }[] = [
  { path: ASSETS.style, content: tagged('text/css; charset=utf-8', own('reference.css')) },
  { path: ASSETS.script, content: tagged('text/javascript; charset=utf-8', own('reference.js')) },
  {
    path: ASSETS.font,
    content: tagged(
      'font/woff2',
      readFileSync(new URL(import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'))),
    ),
  },
];

function own(name: string): Buffer {
  return readFileSync(new URL(`./reference/${name}`, import.meta.url));
}

export function registerReference(app: FastifyInstance, gateway: Gateway, schemas: Schemas): void {
  const { versions, dates } = gateway.negotiator;
  const written = createCache(dates, async (reference, date) =>
    (await import('./openapi.ts')).describeApi({ schemas, reference, versions, date }),
  );
  for (const leaf of LEAVES) {
    app.route({
      method: ['GET', 'HEAD'],
      url: leaf.path,
      handler: async (request, reply) => {
        const date = versionOf(request.url, gateway.negotiator);
        return send(request, reply, await written(leaf, date, gateway.reference.current()));
      },
    });
  }
  for (const { path, content } of FILES) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (request, reply) => send(request, reply, content),
    });
  }
}

/** The requested version, or the newest. Throws Refusal `unsupported_version`. */
function versionOf(url: string, { dates }: Negotiator): string {
  const named = new URL(url, 'http://localhost').searchParams.getAll('version');
  const date = named.length === 0 ? dates.at(-1) : named.length === 1 ? named[0] : undefined;
  if (date !== undefined && dates.includes(date)) return date;
  throw new Refusal('unsupported_version', {
    message: `There is no such version. Versions: ${dates.join(', ')}.`,
    param: 'version',
  });
}

/** Caches texts until the reference rows, whose codes they list, change. */
function createCache(
  dates: readonly string[],
  describe: (reference: Reference, date: string) => Promise<OpenApiDocument>,
) {
  let current: Kept | null = null;
  return (leaf: Leaf, date: string, reference: Reference): Promise<Content> => {
    if (current === null || !isDeepStrictEqual(current.reference, reference))
      current = { reference, documents: new Map(), texts: new Map() };
    const document = getOrInsert(current.documents, date, () => lazy(() => describe(reference, date)));
    const text = getOrInsert(current.texts, `${leaf.path} ${date}`, () =>
      lazy(async () => tagged(leaf.type, await leaf.write(await document(), dates))),
    );
    return text();
  };
}

interface Kept {
  reference: Reference;
  /** By version. */
  documents: Map<string, () => Promise<OpenApiDocument>>;
  texts: Map<string, () => Promise<Content>>;
}

function send(request: FastifyRequest, reply: FastifyReply, { type, body, tag }: Content): FastifyReply {
  reply.headers({ ...HEADERS, ETag: tag });
  if (matches(request.headers['if-none-match'], tag)) return reply.code(304).send();
  return reply.type(type).send(body);
}
