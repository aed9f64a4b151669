// Portal: its page, at every address below `/portal/` that is no file and no endpoint, and its files.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#core/errors.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { pathOf } from '#http/path.ts';
import { ENCODINGS, type File, type Files } from './files.ts';
import { type Answering, respond } from './respond.ts';
import { contentSecurityPolicy } from './security-headers.ts';

const NONCE_MARK = /__CSP_NONCE__/g;

const UNBUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Portico</title>
<p>The portal is not built yet. Run <code>npm run build</code>, then start the server again.</p></html>\n`;

/** `posts`: paths of endpoints that take POST only; other methods do not get the page there. */
export function registerPages(app: FastifyInstance, portal: Answering, files: Files, posts: ReadonlySet<string>): void {
  const handle = (request: FastifyRequest, reply: FastifyReply) =>
    respond(portal, reply, 'page', async (exchange) => {
      const path = pathOf(request.url);
      if (path === '/portal') return redirect(request.url.replace(/^\/portal/, '/portal/'));
      if (posts.has(path)) throw new Refusal('method_not_allowed', { allow: 'POST' });
      const name = path.slice('/portal/'.length);
      const file = files.byPath.get(name);
      if (file !== undefined) return fileAnswer(exchange, file, request.headers['accept-encoding']);
      // A missing file of another build, or an unknown endpoint, must not be answered by the page.
      if (/^(?:assets|auth)(?:\/|$)|\.[^/]*$/.test(name)) throw new Refusal('route_not_found');
      return page(files.page);
    });
  for (const url of ['/portal', '/portal/', '/portal/*']) app.route({ method: ['GET', 'HEAD'], url, handler: handle });
}

const redirect = (location: string): Answer => ({ status: 308, body: null, headers: { Location: location } });

function page(text: string | null): Answer {
  const nonce = randomBytes(16).toString('base64');
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(nonce),
  };
  return text === null
    ? { status: 503, body: UNBUILT, headers }
    : { status: 200, body: text.replace(NONCE_MARK, nonce), headers };
}

function fileAnswer(exchange: Exchange, file: File, accepted: string | undefined): Answer {
  exchange.endpoint = 'file';
  const headers: Record<string, string> = {
    'Content-Type': file.type,
    'Cache-Control': file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
  };
  for (const [encoding] of ENCODINGS) {
    const body = file.encoded[encoding];
    if (body === undefined || !accepts(accepted, encoding)) continue;
    return { status: 200, body, headers: { ...headers, 'Content-Encoding': encoding } };
  }
  return { status: 200, body: file.bytes, headers };
}

/** Whether an Accept-Encoding header accepts the encoding; `q=0` excludes it. */
function accepts(header: string | undefined, encoding: string): boolean {
  return (header ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
