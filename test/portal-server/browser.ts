// A browser as the portal's server sees it: cookies, and the headers that name the origin of a request.
import { expect } from 'vitest';

export interface Got {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any property of a body.
  body: any;
}

export interface Sending {
  method?: string;
  body?: unknown;
  /** Replaces what the browser would send; null leaves a header out. */
  headers?: Record<string, string | null>;
}

let browsers = 0;

export class Browser {
  readonly url: string;
  readonly #cookies: Map<string, string>;
  readonly #storesCookies: boolean;
  /** One address a browser, for gateways that trust this machine as a proxy; others ignore it. */
  readonly #address = `198.18.${Math.floor(browsers / 250)}.${(browsers++ % 250) + 1}`;

  constructor(url: string, { cookies = new Map<string, string>(), storesCookies = true } = {}) {
    this.url = url;
    this.#cookies = cookies;
    this.#storesCookies = storesCookies;
  }

  /** A second browser with a copy of the cookies, which ignores the cookies that responses set. */
  twin(): Browser {
    return new Browser(this.url, { cookies: new Map(this.#cookies), storesCookies: false });
  }

  get(path: string, sending: Sending = {}): Promise<Got> {
    return this.send(path, { ...sending, method: sending.method ?? 'GET' });
  }

  /** As the portal's pages send it. */
  post(path: string, body: unknown = {}, sending: Sending = {}): Promise<Got> {
    return this.send(path, { ...sending, method: 'POST', body });
  }

  operation(operation: string, variables: Record<string, unknown> = {}): Promise<Got> {
    return this.post('/portal/graphql', { operation, variables });
  }

  async signIn(email: string, password: string): Promise<void> {
    const { status, text } = await this.post('/portal/auth/sign-in/email', { email, password });
    expect(status, text).toBe(200);
  }

  async send(path: string, { method = 'GET', body, headers = {} }: Sending): Promise<Got> {
    const address = path.startsWith('http') ? path : `${this.url}${path}`;
    const sent: Record<string, string | null> = {
      'User-Agent': 'Test browser',
      'X-Forwarded-For': this.#address,
      ...(method === 'GET' ? {} : { Origin: new URL(address).origin, 'Sec-Fetch-Site': 'same-origin' }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(this.#cookies.size === 0 ? {} : { Cookie: this.cookies() }),
      ...headers,
    };
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      headers: Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== null),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    if (this.#storesCookies) for (const line of response.headers.getSetCookie()) this.#store(line);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  /** The value of the Cookie header. */
  cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #store(line: string): void {
    const [pair = ''] = line.split(';', 1);
    const [name = '', ...value] = pair.split('=');
    if (/max-age=0/i.test(line)) this.#cookies.delete(name);
    else this.#cookies.set(name, value.join('='));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Expects the portal's error object with this code, and nothing else in the body. */
export function expectRefusal({ status, body, headers }: Got, wanted: number, code: string): void {
  expect({ status, code: body?.error?.code }).toEqual({ status: wanted, code });
  expect(Object.keys(body)).toEqual(['error']);
  expect(body.error.request_id).toBe(headers.get('x-request-id'));
  expect(typeof body.error.message).toBe('string');
}
