// Database: privacy tiers, tagged on every stored property.

/**
 * P0 never leaves the database in any form. P1 is a client's or other person's data: it is only disclosed by a scope or
 * a session. P2 is operational data that identifies nobody.
 */
export type Tier = 'P0' | 'P1' | 'P2';

interface Taggable<Self> {
  comment(text: string): Self;
}

const tagged =
  (tier: Tier) =>
  <Property>(property: Property): Property =>
    (property as Taggable<Property>).comment(`privacy: ${tier}`);

export const P0 = tagged('P0');
export const P1 = tagged('P1');
export const P2 = tagged('P2');

/** The tier in a property's comment, or null where the property is not tagged. */
export function tierOf(comment: string | undefined): Tier | null {
  const match = /^privacy: (P[012])$/.exec(comment ?? '');
  return match === null ? null : (match[1] as Tier);
}
