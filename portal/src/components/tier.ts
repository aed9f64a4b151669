// Components: names of tiers.

import { upperFirst } from './first-letter.ts';

export const tierName = (tier: string): string => upperFirst(tier);
