// Session: what a firm's member may do. The server decides; this says which buttons there are.
import { useViewer, type ViewerBody } from './viewer.ts';

/** Creates keys and asks for access. */
export const isDeveloper = ({ firmRole }: ViewerBody): boolean =>
  firmRole === 'administrator' || firmRole === 'developer';

/** Manages the members. */
export const isAdministrator = ({ firmRole }: ViewerBody): boolean => firmRole === 'administrator';

export const useIsDeveloper = (): boolean => isDeveloper(useViewer());
export const useIsAdministrator = (): boolean => isAdministrator(useViewer());

const ROLE_NAMES: Record<string, string> = {
  administrator: 'Administrator',
  developer: 'Developer',
  auditor: 'Auditor',
};

export const roleName = (role: string): string => ROLE_NAMES[role] ?? role;
