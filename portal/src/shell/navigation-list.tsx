// Shell: the navigation links of the viewer's role, with counts of pending items.
import { VisuallyHidden } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { GrantCounts } from '../generated/operations.ts';
import { useRead } from '../graphql/hooks.ts';
import { type Role, useViewer } from '../session/viewer.ts';
import { currentRow, NAVIGATION } from './navigation.ts';
import classes from './navigation-list.module.css';

export function NavigationList() {
  const viewer = useViewer();
  const [path] = useLocation();
  const rows = NAVIGATION[viewer.role as Role].filter(({ may }) => may?.(viewer) !== false);
  const current = currentRow(rows, path);
  const waiting = useWaiting(viewer.role as Role);
  return (
    <nav aria-label="Main" className={classes.nav}>
      <ul>
        {rows.map((row) => (
          <li key={row.to}>
            <Link
              href={row.to}
              className={`touched ${classes.link}`}
              aria-current={row === current ? (path === row.to ? 'page' : 'true') : undefined}
            >
              <row.icon size={18} stroke={1.7} aria-hidden />
              {row.label}
              {waiting[row.to] !== undefined && (
                <span className={classes.count}>
                  {waiting[row.to]?.count}
                  <VisuallyHidden> {waiting[row.to]?.what}</VisuallyHidden>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The number of pending items by link. */
function useWaiting(role: Role): Record<string, { count: number; what: string } | undefined> {
  const { data } = useRead(GrantCounts, {}, { enabled: role !== 'ops', every: 60_000 });
  if (data === undefined) return {};
  const { pending, expiringSoon } = data;
  if (role === 'client' && pending > 0)
    return { '/connected': { count: pending, what: `waiting ${pending === 1 ? 'request' : 'requests'}` } };
  if (role === 'firm_member' && expiringSoon > 0)
    return { '/access': { count: expiringSoon, what: `${expiringSoon === 1 ? 'grant' : 'grants'} expiring soon` } };
  return {};
}
