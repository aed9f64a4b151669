// Portal: unsubscribing from a topic by the link in a mail, without signing in: a confirmation page, and the one-click
// request of mail programs (RFC 8058). A GET changes nothing, since programs that check links send it.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '#core/errors.ts';
import { escapeHtml } from '#core/html.ts';
import type { Topic } from '#core/notices.ts';
import type { Notices } from '#gateway/notices/notices.ts';
import { readBody } from '#http/body.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { limitReads } from './auth/rate-limits.ts';
import { writePage } from './mails/letter.ts';
import { UNSUBSCRIBE_PATH, type UnsubscribeLinks } from './notices/unsubscribe-links.ts';
import type { Portal } from './portal.ts';
import { respond } from './respond.ts';
import { contentSecurityPolicy } from './security-headers.ts';

const MAX_BODY = 4_096;

/** Completes “You get no more mails about”. */
const ABOUT: Record<Topic, string> = {
  requests: 'requests for access to your portfolio',
  receipts: 'receipts',
  ending: 'access that ends soon or has ended',
  first_use: 'the first use of access that you gave',
  answers: 'what clients approve, change and revoke',
  firm_ending: 'grants that end soon',
  keys: 'keys that expire soon',
  limits: 'limits that are nearly or quite reached',
  security: 'your account',
};

export function registerUnsubscribe(app: FastifyInstance, portal: Portal): void {
  const { links, notices } = portal;
  const serve = (work: (exchange: Exchange, token: string) => Promise<Answer>, method: 'GET' | 'POST') =>
    app.route({
      ...{ method, url: `${UNSUBSCRIBE_PATH}/:token` },
      handler: (request, reply) =>
        respond(portal, reply, 'unsubscribe', async (exchange) => {
          await limitReads(exchange, portal.signIn);
          return work(exchange, (request.params as { token: string }).token);
        }),
    });
  serve(async (_exchange, token) => confirmationPage(links, token), 'GET');
  serve(async (exchange, token) => {
    await readBody(exchange.request.raw, MAX_BODY);
    return end(links, notices, token);
  }, 'POST');
}

async function confirmationPage(links: UnsubscribeLinks, token: string): Promise<Answer> {
  const named = links.read(token);
  if (named === null) return invalid();
  return page(
    200,
    'No more of these mails?',
    `<p>You would get no more mails about ${ABOUT[named.topic]}.</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit" class="button">Stop these mails</button></form>`,
  );
}

async function end(links: UnsubscribeLinks, notices: Notices, token: string): Promise<Answer> {
  const named = links.read(token);
  if (named === null) return invalid();
  await notices.mute(named.userId, named.topic);
  return page(
    200,
    'Done',
    `<p>You get no more mails about ${ABOUT[named.topic]}.</p>
<p>You can turn them on again under <a href="/portal/account/notifications">Notifications</a>.</p>`,
  );
}

const invalid = (): Answer =>
  page(
    new Refusal('invalid_link').status,
    'This link is not valid',
    `<p>You can choose what you are told of under <a href="/portal/account/notifications">Notifications</a>.</p>`,
  );

function page(status: number, title: string, inside: string): Answer {
  const nonce = randomBytes(16).toString('base64');
  const body = writePage(
    title,
    `<body><main>
<p class="brand">Portico</p>
<h1>${escapeHtml(title)}</h1>
${inside}
</main></body>`,
    `<style nonce="${nonce}">${STYLE}</style>`,
  );
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(nonce),
    'Referrer-Policy': 'no-referrer',
  };
  return { status, body, headers };
}

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/24px 'Segoe UI', system-ui, -apple-system, Roboto, Helvetica, Arial, sans-serif; background: #f0f2f2; color: #182020; }
main { max-width: 36rem; margin: 10vh auto; padding: 0 24px; }
h1 { font-size: 24px; line-height: 32px; }
.brand { font-weight: 600; color: #136b62; }
a { color: #136b62; }
.button { min-height: 44px; padding: 0 20px; border: 0; border-radius: 6px; font: inherit; font-weight: 600; background: #136b62; color: #fff; cursor: pointer; }
@media (prefers-color-scheme: dark) {
  body { background: #12181a; color: #e6eaea; }
  a, .brand { color: #84c3b9; }
}
@media (forced-colors: active) { .button { border: 1px solid; } }`;
