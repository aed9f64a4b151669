// Entry: the title of a step; a new step moves the focus to it.
import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { announce } from '../../shell/announcer.tsx';

let previous: string | null = null;

interface EntryTitleProps {
  title: string;
  /** How the title is shown, if it contains a name that needs its own text direction. */
  shown?: ReactNode;
  children?: ReactNode;
}

export function EntryTitle({ title, shown = title, children }: EntryTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Portico`;
    if (previous !== null && previous !== title) {
      announce(title);
      // Steps with a field focus it themselves.
      if (!document.activeElement?.matches('input')) heading.current?.focus();
    }
    previous = title;
  }, [title]);
  return (
    <div>
      <Title order={1} ref={heading} tabIndex={-1} className="breakable">
        {shown}
      </Title>
      {children && (
        <Text c="dimmed" mt={6} mb="xl" component="div" className="breakable">
          {children}
        </Text>
      )}
    </div>
  );
}
