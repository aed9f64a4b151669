// Test support: the environment variables that the product reads.

import { SETTINGS } from '#src/config.ts';

export const SETTING_NAMES: readonly string[] = [...Object.keys(SETTINGS), 'DRAIN_DELAY_MS'];
