// Test support: the names of all settings.

import { allSettings } from '#src/configuration/settings.ts';

export const SETTING_NAMES: readonly string[] = allSettings().map(({ name }) => name);
