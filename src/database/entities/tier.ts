// Database: the privacy tier of every stored property, written on the property itself.

/**
 * P0 never leaves the database in any form. P1 is a client's or a person's data: it leaves only to whom a scope or a
 * session entitles. P2 is operational data that identifies nobody.
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

/** The tier that a property's comment carries, or null where nobody has tagged it. */
export function tierOf(comment: string | undefined): Tier | null {
  const match = /^privacy: (P[012])$/.exec(comment ?? '');
  return match === null ? null : (match[1] as Tier);
}
