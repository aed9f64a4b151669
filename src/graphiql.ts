// GraphiQL on the internal listener: a page for trying queries. All of its files come from the package, and its policy
// blocks everything else: tools' tokens are pasted into it, and closed networks reach no other host.
import type { FastifyInstance } from 'fastify';
import { lazy } from '#core/lazy.ts';

/** Only for the page itself. It has no inline script; workers and fonts are files of the same origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  // The editor writes inline styles at run time.
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };

const PAGE_HEADERS = {
  ...HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'no-store',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Portico</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/graphql/files/graphiql.css">
</head>
<body class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
<script src="/graphql/files/graphiql.js"></script>
<script src="/graphql/files/start.js"></script>
</body>
</html>
`;

/** The example header is sent as it is and answered 401 until a token replaces it. */
const OPTIONS = {
  title: 'Portico',
  headers: '{\n  "Authorization": "Bearer svc_token"\n}',
  defaultQuery: `# A service token goes in the place of "svc_token" under Headers:
#   portico service-token create --role ops
# One of the role "support" needs a header more:
#   "X-Act-As-Key": "key_id"

{
  limiterState
}
`,
  // Tokens must not be stored in the browser.
  shouldPersistHeaders: false,
};

const START = `self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => '/graphql/files/' + label + '.worker.js' };
YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), ${JSON.stringify(OPTIONS)});
`;

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Megabytes, needed only when the page is opened. */
const readFiles = lazy(async () => {
  const parts = await import('@graphql-yoga/render-graphiql/graphiql');
  return new Map([
    ['graphiql.css', { type: 'text/css; charset=utf-8', text: parts.css }],
    ['graphiql.js', { type: JAVASCRIPT, text: parts.js }],
    ['start.js', { type: JAVASCRIPT, text: START }],
    ['editorWorkerService.worker.js', { type: JAVASCRIPT, text: parts.editorWorkerService }],
    ['json.worker.js', { type: JAVASCRIPT, text: parts.jsonWorker }],
    ['graphql.worker.js', { type: JAVASCRIPT, text: parts.graphqlWorker }],
  ]);
});

/** Whether a browser opens the page, as opposed to a tool's request. */
export const asksForPage = ({
  method,
  headers,
}: {
  method: string;
  headers: { accept?: string | undefined };
}): boolean => method === 'GET' && headers.accept?.includes('text/html') === true;

export const graphiqlPage = { headers: PAGE_HEADERS, body: PAGE };

export function registerGraphiqlFiles(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/graphql/files/:name', async ({ params }, reply) => {
    const file = (await readFiles()).get(params.name);
    if (file === undefined) return reply.callNotFound();
    return reply.headers({ ...HEADERS, 'Content-Type': file.type, 'Cache-Control': 'no-cache' }).send(file.text);
  });
}
