// Session: the permissions of a firm's member. The server enforces them; this only decides which buttons are shown.
import type { FirmRole } from '#core/firm-roles.ts';
import { useViewer, type ViewerBody } from './viewer.ts';

/** May create keys and request access. */
export const isDeveloper = ({ firmRole }: ViewerBody): boolean =>
  firmRole === 'administrator' || firmRole === 'developer';

/** May manage members. */
export const isAdministrator = ({ firmRole }: ViewerBody): boolean => firmRole === 'administrator';

export const useIsDeveloper = (): boolean => isDeveloper(useViewer());
export const useIsAdministrator = (): boolean => isAdministrator(useViewer());

const ROLE_NAMES: Record<string, string> = {
  administrator: 'Administrator',
  developer: 'Developer',
  auditor: 'Auditor',
} satisfies Record<FirmRole, string>;

export const roleName = (role: string): string => ROLE_NAMES[role] ?? role;
