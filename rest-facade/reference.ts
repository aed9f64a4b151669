// REST facade: the API reference for people (`/docs`) and programs (`/openapi.json`, `/openapi.yaml`), made on demand
// from what serves the requests.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stringify } from 'yaml';
import type { Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { Reference } from '#gateway/reference.ts';
import { matches } from './etag.ts';
import { describeApi, type OpenApiDocument } from './openapi.ts';
import { referencePage, STYLE_PATH } from './reference/page.ts';

/** The page runs no script and loads nothing but its own style: it shares its origin with people's sessions. */
const HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

interface Leaf {
  path: string;
  type: string;
  write(document: OpenApiDocument): string;
}

const style = readFileSync(new URL('./reference/reference.css', import.meta.url), 'utf8');

const LEAVES: readonly Leaf[] = [
  { path: '/docs', type: 'text/html; charset=utf-8', write: referencePage },
  { path: STYLE_PATH, type: 'text/css; charset=utf-8', write: () => style },
  { path: '/openapi.json', type: 'application/json; charset=utf-8', write: (document) => JSON.stringify(document) },
  {
    path: '/openapi.yaml',
    type: 'application/yaml; charset=utf-8',
    write: (document) => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
  },
];

export const referencePaths: readonly string[] = LEAVES.map(({ path }) => path);

export function registerReference(app: FastifyInstance, gateway: Gateway, schemas: Schemas): void {
  const written = createCache((reference) => describeApi({ schemas, reference }));
  for (const leaf of LEAVES) {
    app.route({
      method: ['GET', 'HEAD'],
      url: leaf.path,
      handler: async (request, reply) => send(request, reply, leaf, written(leaf, gateway.reference.current())),
    });
  }
}

interface Text {
  body: string;
  tag: string;
}

/** Texts are kept until the reference rows, from which they list codes, are others. */
function createCache(describe: (reference: Reference) => OpenApiDocument) {
  let current: { reference: Reference; document: OpenApiDocument; texts: Map<Leaf, Text> } | null = null;
  return (leaf: Leaf, reference: Reference): Text => {
    if (current === null || !isDeepStrictEqual(current.reference, reference))
      current = { reference, document: describe(reference), texts: new Map() };
    let text = current.texts.get(leaf);
    if (text === undefined) {
      const body = leaf.write(current.document);
      text = { body, tag: `W/"${hash('sha1', body, 'base64url')}"` };
      current.texts.set(leaf, text);
    }
    return text;
  };
}

function send(request: FastifyRequest, reply: FastifyReply, { type }: Leaf, { body, tag }: Text): FastifyReply {
  reply.headers({ ...HEADERS, ETag: tag });
  if (matches(request.headers['if-none-match'], tag)) return reply.code(304).send();
  return reply.type(type).send(body);
}
