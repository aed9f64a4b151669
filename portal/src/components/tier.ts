// Components: names of tiers.

import { upperFirst } from '#core/first-letter.ts';

export const tierName = (tier: string): string => upperFirst(tier);
