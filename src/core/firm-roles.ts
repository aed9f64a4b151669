// Core: roles of a firm's members.

/** From most to least privileged. */
export const FIRM_ROLES = ['administrator', 'developer', 'auditor'] as const;
export type FirmRole = (typeof FIRM_ROLES)[number];

/** Descriptions for the choice of a role. */
export const FIRM_ROLE_MEANINGS: Readonly<Record<FirmRole, string>> = {
  administrator: 'Does everything a developer does, and invites, changes and removes members.',
  developer: 'Creates, rotates and revokes keys, and asks clients for access.',
  auditor: 'Sees everything of the firm and changes nothing.',
};
