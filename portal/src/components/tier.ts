// Components: names of tiers.

export const tierName = (tier: string): string => tier.charAt(0).toUpperCase() + tier.slice(1);
