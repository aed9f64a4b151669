// Test support: an account of the plant store with a token, and calls of area B with it.

import { expect } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import type { Database } from '#database/database.ts';
import { createToken } from '#repositories/admission/tokens.ts';
import { type CallOptions, call, type Response } from './scenario.ts';

export interface PlantCaller {
  token: string;
  tokenId: string;
  send(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** POSTs the body unchanged, with the content type of JSON. */
  post(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Response>;
}

export async function makePlantCaller(
  { url, database }: { url: string; database: Database },
  account: string,
  expiresAt: string | null = null,
): Promise<PlantCaller> {
  const { text, hash } = makeToken('plant');
  const { id } = await createToken(database, 'plant', { holder: account, hash, expiresAt });
  const send = (method: string, path: string, options: CallOptions = {}) =>
    call(url + path, text, { version: null, method, ...options });
  return {
    token: text,
    tokenId: id,
    send,
    post: (body, headers = {}) =>
      send('POST', '/plants', { body, headers: { 'Content-Type': 'application/json', ...headers } }),
  };
}

/** The whole error response of area B, with the headers of every response. */
export function expectPlantError(response: Response, status: number): void {
  expect({ status: response.status, body: response.body }).toEqual({
    status,
    body: { error: status, message: expect.stringMatching(/.{5,}/) },
  });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('private, no-store');
}
