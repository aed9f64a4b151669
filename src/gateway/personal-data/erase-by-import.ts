// Gateway: erases the firms and users that an import deletes.
import type { Sql } from '#database/database.ts';
import { findUser } from '#repositories/users.ts';
import type { ErasureSettings } from './erasable.ts';
import { eraseClientWithin, type Rest } from './erase.ts';
import { eraseFirmWithin, eraseUserWithin } from './erase-user.ts';

/**
 * Runs within the import's transaction, at whose end the returned rest, if any, must be called. For users, `id` is a
 * client or a member. The platform decides, even about the last administrator of a firm.
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
