// Shell: the frame of every page: navigation at the side, or behind a burger on phones.
import { Burger, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type MouseEvent, type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { ColorSchemeSwitch } from './color-scheme-switch.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { NavigationList } from './navigation-list.tsx';
import classes from './shell.module.css';

export function Shell({ children }: { children: ReactNode }) {
  const [opened, drawer] = useDisclosure();
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the drawer after every navigation.
  useEffect(drawer.close, [path]);
  return (
    <div className={classes.shell}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to the content, as a link within the page. */}
      <a href="#main" className={classes.skip} onClick={toContent}>
        Skip to content
      </a>
      <section className={classes.bar} aria-label="Top bar">
        <Link href="/" aria-label="Portico, start page" className={classes.home}>
          <Brand />
        </Link>
        <div className={classes.buttons}>
          <ColorSchemeSwitch />
          <Burger opened={opened} onClick={drawer.open} size="sm" aria-label="Open navigation" aria-expanded={opened} />
        </div>
      </section>
      <aside className={classes.side} aria-label="Portal">
        <div className={classes.top}>
          <Link href="/" aria-label="Portico, start page" className={classes.home}>
            <Brand />
          </Link>
          <ColorSchemeSwitch />
        </div>
        <NavigationList />
        <AccountMenu />
      </aside>
      <Drawer
        opened={opened}
        onClose={drawer.close}
        size={300}
        title={<Brand />}
        closeButtonProps={{ 'aria-label': 'Close navigation' }}
        classNames={{ body: classes.drawer }}
      >
        <NavigationList />
        <AccountMenu />
      </Drawer>
      <main id="main" className={classes.main} tabIndex={-1}>
        <ConnectionNotice />
        {children}
      </main>
    </div>
  );
}

/** Without an entry in the browser’s history, which would look like Back on a guarded page. */
function toContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
