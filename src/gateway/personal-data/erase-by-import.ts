// Gateway: what an import deletes of firms and users, it erases.
import type { Sql } from '#database/database.ts';
import { findUser } from '#repositories/users.ts';
import type { ErasureSettings } from './erasable.ts';
import { eraseClientWithin, type Rest } from './erase.ts';
import { eraseFirmWithin, eraseUserWithin } from './erase-user.ts';

/**
 * Within the import's transaction, at whose end it has to call for the rest, if there is one. Of users `id` is a client or a member;
 * the platform decides, also of a last administrator.
 */
export const eraseByImport =
  (settings: ErasureSettings) =>
  async (sql: Sql, kind: 'firms' | 'users', id: string): Promise<Rest<unknown> | null> => {
    const request = { id, reason: 'Deleted by an import', actor: { kind: 'system', id: 'import' } } as const;
    if (kind === 'firms') await eraseFirmWithin(sql, request, settings);
    else if ((await findUser(sql, id))?.role === 'client') return eraseClientWithin(sql, request, settings);
    else await eraseUserWithin(sql, request, settings, { unadministered: true });
    return null;
  };
