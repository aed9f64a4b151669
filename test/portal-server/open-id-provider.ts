// An OpenID provider with sign-in pages, as a firm would run one.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import type { Browser, Got } from './browser.ts';

export interface Employee {
  email: string;
  email_verified: boolean;
  name: string;
}

export interface OpenIdProvider {
  issuer: string;
  /** The accounts of the provider, by subject; tests add to them. */
  employees: Map<string, Employee>;
  close(): Promise<void>;
}

export const CLIENT = { client_id: 'portico', client_secret: 'known-to-both-sides' };

export async function openProvider(port: number, redirectUris: string[]): Promise<OpenIdProvider> {
  const issuer = `http://127.0.0.1:${port}`;
  const employees = new Map<string, Employee>();
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: redirectUris, token_endpoint_auth_method: 'client_secret_post' }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Claims come from the userinfo endpoint, as the standard specifies.
    conformIdTokenClaims: true,
    pkce: { required: () => true },
    cookies: { keys: ['of a test'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: async (_context, subject) => {
      const employee = employees.get(subject);
      return employee && { accountId: subject, claims: async () => ({ sub: subject, ...employee }) };
    },
  });
  provider.on('server_error', (_context, error) => console.error(error));
  const server = createServer(provider.callback());
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return {
    issuer,
    employees,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Begins a sign-in through the provider, signs in there, and consents. Returns the URL of the callback. */
export async function callbackUrl(browser: Browser, provider: string, subject: string): Promise<string> {
  const { body } = await browser.post('/portal/auth/sign-in/social', { provider });
  let url: string = body.url;
  for (let step = 0; step < 12; step++) {
    if (url.includes('/portal/auth/callback/')) return url;
    const got = await browser.get(url);
    const next = got.headers.get('location') ?? (await answerForm(browser, url, got.text, subject));
    url = new URL(next, url).href;
  }
  throw new Error(`the provider did not redirect to the callback; the last URL was ${url}`);
}

export async function signInThrough(browser: Browser, provider: string, subject: string): Promise<Got> {
  return browser.get(await callbackUrl(browser, provider, subject));
}

async function answerForm(browser: Browser, url: string, page: string, subject: string): Promise<string> {
  const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
  const { headers, status, text } = await browser.send(url, {
    method: 'POST',
    body: new URLSearchParams({ prompt, login: subject, password: 'any' }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const next = headers.get('location');
  if (next === null) throw new Error(`${status} at ${url}: ${text.slice(0, 500)}`);
  return next;
}
