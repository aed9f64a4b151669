// Shell: the navigation of each role.
import {
  IconActivity,
  IconBuilding,
  IconFlask,
  IconGauge,
  IconHistory,
  IconKey,
  IconListDetails,
  IconListSearch,
  IconPlugConnected,
  IconRocket,
  IconScale,
  IconUserShield,
  IconUsers,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { isDeveloper } from '../session/firm-role.ts';
import type { Role, ViewerBody } from '../session/viewer.ts';

interface NavigationRow {
  to: string;
  /** A path outside `to` whose pages belong to it as well. */
  also?: string;
  /** Absent if everybody with the role may see it. */
  may?: (viewer: ViewerBody) => boolean;
  label: string;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
}

export const NAVIGATION: Record<Role, readonly NavigationRow[]> = {
  firm_member: [
    { to: '/keys', label: 'Keys', icon: IconKey },
    { to: '/access', label: 'Access', icon: IconUserShield },
    { to: '/activity', label: 'Activity', icon: IconActivity },
    { to: '/sandbox', label: 'Sandbox', icon: IconFlask },
    { to: '/team', label: 'Members', icon: IconUsers },
    { to: '/audit', label: 'Audit', icon: IconListDetails },
    { to: '/firm', label: 'Firm', icon: IconBuilding },
    { to: '/start', label: 'Getting started', icon: IconRocket, may: isDeveloper },
  ],
  client: [
    { to: '/connected', also: '/connect', label: 'Connected apps', icon: IconPlugConnected },
    { to: '/record', label: 'Access record', icon: IconListSearch },
    { to: '/history', label: 'Consent history', icon: IconHistory },
  ],
  ops: [
    { to: '/limits', label: 'Limits', icon: IconGauge },
    { to: '/limits/what-if', label: 'What if', icon: IconScale },
  ],
};

export const ROLE_WORDS: Record<Role, string> = {
  firm_member: 'Firm member',
  client: 'Client',
  ops: 'Operations',
};

/** The start page of a role. */
export const homeOf = (role: Role): string => NAVIGATION[role][0]?.to ?? '/account';

/** The row of a path: the longest matching one. */
export function currentRow(rows: readonly NavigationRow[], path: string): NavigationRow | undefined {
  const within = (root: string | undefined) => root !== undefined && (path === root || path.startsWith(`${root}/`));
  return rows.filter(({ to, also }) => within(to) || within(also)).sort((a, b) => b.to.length - a.to.length)[0];
}
