// Shell: which pages stand in whose navigation.
import {
  IconActivity,
  IconGauge,
  IconHistory,
  IconKey,
  IconListSearch,
  IconPlugConnected,
  IconRocket,
  IconScale,
  IconUserShield,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Role } from '../session/viewer.ts';

export interface NavigationRow {
  to: string;
  label: string;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
}

export const NAVIGATION: Record<Role, readonly NavigationRow[]> = {
  firm_member: [
    { to: '/keys', label: 'Keys', icon: IconKey },
    { to: '/access', label: 'Access', icon: IconUserShield },
    { to: '/activity', label: 'Activity', icon: IconActivity },
    { to: '/start', label: 'Getting started', icon: IconRocket },
  ],
  client: [
    { to: '/connected', label: 'Connected apps', icon: IconPlugConnected },
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

/** Where somebody of the role arrives. */
export const homeOf = (role: Role): string => NAVIGATION[role][0]?.to ?? '/account';

/** The row that the path belongs to: the longest that it lies under. */
export function currentRow(rows: readonly NavigationRow[], path: string): NavigationRow | undefined {
  return rows.filter(({ to }) => path === to || path.startsWith(`${to}/`)).sort((a, b) => b.to.length - a.to.length)[0];
}
