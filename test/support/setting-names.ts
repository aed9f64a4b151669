// Test support: the environment variables that the product reads.

import { allSettings } from '#src/configuration/settings.ts';

export const SETTING_NAMES: readonly string[] = allSettings().map(({ name }) => name);
