// Versions: the list of versions, oldest first. Business code knows only the newest.
import type { Version } from './change.ts';

export const VERSIONS: readonly Version[] = [{ date: '2026-01-15', changes: [] }];

export const LATEST_VERSION: string = VERSIONS.at(-1)?.date ?? '';
