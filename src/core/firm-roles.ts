// Core: what a firm's members may do there.

/** From most to least. */
export const FIRM_ROLES = ['administrator', 'developer', 'auditor'] as const;
export type FirmRole = (typeof FIRM_ROLES)[number];

/** In plain words, for those who choose one. */
export const FIRM_ROLE_MEANINGS: Readonly<Record<FirmRole, string>> = {
  administrator: 'Does everything a developer does, and invites, changes and removes members.',
  developer: 'Creates, rotates and revokes keys, and asks clients for access.',
  auditor: 'Sees everything of the firm and changes nothing.',
};
