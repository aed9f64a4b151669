// Versions: the one list, oldest first. Business code knows the newest only.
import type { Version } from './change.ts';

export const VERSIONS: readonly Version[] = [{ date: '2026-01-15', changes: [] }];

export const LATEST_VERSION: string = VERSIONS.at(-1)?.date ?? '';
