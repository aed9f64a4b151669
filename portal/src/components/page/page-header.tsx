// Components: the head of a page: title, purpose and actions; and the focus after navigation.
import { Anchor, Group, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { announce } from '../../shell/announcer.tsx';
import classes from './page-header.module.css';

interface PageHeaderProps {
  title: string;
  /** How the title is shown, if it contains a name that needs its own text direction. */
  shown?: ReactNode;
  /** Shown beside the title, such as a status or an environment. */
  aside?: ReactNode;
  /** The purpose of the page in a sentence. */
  lead?: ReactNode;
  actions?: ReactNode;
  back?: { to: string; label: string };
}

/** The path of the last shown title. A different one means that the user has navigated. */
let shownPath: string | null = null;

/** Whether the previous title had the focus when it was removed. If so, the new title of the same page gets it. */
let hadFocus = false;

export function PageHeader({ title, shown = title, aside, lead, actions, back }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const shown = heading.current;
    return () => {
      hadFocus = shown !== null && shown === document.activeElement;
    };
  }, []);
  useEffect(() => {
    document.title = `${title} · Portico`;
    const arrived = shownPath !== null && shownPath !== location.pathname;
    const follows = hadFocus;
    shownPath = location.pathname;
    hadFocus = false;
    if (!arrived && !follows) return;
    if (arrived) window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
    announce(title);
  }, [title]);
  return (
    <header className={classes.header}>
      {back && (
        <Anchor component={Link} href={back.to} size="sm" c="dimmed" className={`touched ${classes.back}`}>
          <IconArrowLeft size={15} aria-hidden /> {back.label}
        </Anchor>
      )}
      <div className={classes.row}>
        <div className={classes.words}>
          <Group gap="sm" align="center">
            <Title order={1} ref={heading} tabIndex={-1} className="breakable">
              {shown}
            </Title>
            {aside}
          </Group>
          {lead && (
            <Text c="dimmed" mt={6} maw="42rem" component="div" className={`breakable ${classes.lead}`}>
              {lead}
            </Text>
          )}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
    </header>
  );
}
