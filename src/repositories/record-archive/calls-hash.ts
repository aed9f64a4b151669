// Repositories: a hash over calls, with all their values in a month's file.
import { createHash } from 'node:crypto';
import { callText } from '#core/ledger/entry-text.ts';
import type { ArchivedCall } from './columns.ts';

export class CallsHash {
  readonly #hash = createHash('sha256');

  add(call: ArchivedCall): void {
    const { param, message, related, tookUs, address, userAgent, entry, itemIds, removedIds } = call;
    const rest = [param, message, related, tookUs, address, userAgent, entry, itemIds, removedIds];
    this.#hash.update(`${callText(call)}\n${JSON.stringify(rest)}\n`);
  }

  /** Hexadecimal. Nothing can be added afterwards. */
  end(): string {
    return this.#hash.digest('hex');
  }
}
