// How many requests per 60 s each tier of key allows.

export const tierLimits = { sandbox: 100, standard: 1_000, elevated: 5_000, enterprise: 20_000 } as const;

export type Tier = keyof typeof tierLimits;

export function isTier(name: string): name is Tier {
  return Object.hasOwn(tierLimits, name);
}
