// Bench, sofa-api: REST generated from the product's schema, with its checks in every field, executed by graphql-js.
// Key, grant and limit are the product's. It lacks versions, includes, links, tags and the access record; every refused
// field would be an error beside the data.
import { createServer } from 'node:http';
import { isObjectType } from 'graphql';
import { useSofa } from 'sofa-api';
import { buildSchemas } from '../../schema/index.ts';
import { bearerToken } from '../../src/auth/bearer.ts';
import { readKeySecret } from '../../src/auth/key-format.ts';
import { createCursors } from '../../src/core/cursor.ts';
import { TIER_LIMITS } from '../../src/core/tiers.ts';
import { openDatabase } from '../../src/database/database.ts';
import { openReads } from '../../src/database/replicas.ts';
import { admitPartner, requireValidKey } from '../../src/gateway/admission/admission.ts';
import { openAdmissions } from '../../src/gateway/admission/admission-cache.ts';
import { createContext, type Platform } from '../../src/gateway/execution/context.ts';
import { loadReference } from '../../src/gateway/reference.ts';
import { createLimiter } from '../../src/limits/create-limiter.ts';
import { readCursorKey } from '../../src/repositories/reference.ts';

const database = await openDatabase({ url: process.env.DATABASE_URL as string });
const admit = openAdmissions(database);
const limits = createLimiter({ redisUrl: process.env.REDIS_URL });
await limits.ready;
const platform = {
  database,
  reads: await openReads(database, [], 10),
  reference: await loadReference(database),
  cursors: createCursors(await readCursorKey(database)),
  limiter: limits.limiter,
  limiterState: limits.status,
  // Lists and assets need nothing else.
} as unknown as Platform;

// Answers contain all fields of a type: without these, rows would be repeated, and lists included that were not
// requested.
const LEFT_OUT = { AssetConnection: ['edges', 'pageInfo'], Asset: ['valuations', 'documents'] };
const schema = buildSchemas().guarded;
for (const [name, fields] of Object.entries(LEFT_OUT)) {
  const type = schema.getType(name);
  if (isObjectType(type)) for (const field of fields) delete type.getFields()[field];
}

const sofa = useSofa({
  basePath: '/api',
  schema,
  // Deep enough for the scans of a verification.
  depthLimit: 4,
  async context({ request }: { request: Request }) {
    const secret = readKeySecret(bearerToken(request.headers.get('authorization') ?? '') ?? '');
    const clientId = new URL(request.url).searchParams.get('clientId');
    const found = secret === null ? null : await admit({ key: secret.hash, clientId, horizon: true });
    const { admission, horizon, moment } = requireValidKey(found);
    const { admitted } = await platform.limiter.take(`key:${admission.key.lineageId}`, TIER_LIMITS[admission.key.tier]);
    if (!admitted) throw new Error('limited');
    return createContext(platform, admitPartner(admission, { horizon, position: moment.position }));
  },
});

const server = createServer(sofa);
server.keepAliveTimeout = 72_000;
process.once('SIGTERM', () => process.exit());
server.listen(Number(process.env.PORT), '127.0.0.1');
