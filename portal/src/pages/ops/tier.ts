// Operations: tiers by name.

export const tierName = (tier: string): string => tier.charAt(0).toUpperCase() + tier.slice(1);

export const shadowDraft = (of: string): string => `shadow mode of ${of}`;
