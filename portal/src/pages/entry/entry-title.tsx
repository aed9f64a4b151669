// Entry: the title of a step; a new step moves the focus to it.
import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { announce } from '../../shell/announcer.tsx';

let shown: string | null = null;

export function EntryTitle({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Portico`;
    if (shown !== null && shown !== title) {
      announce(title);
      // Steps with a field focus it themselves.
      if (!document.activeElement?.matches('input')) heading.current?.focus();
    }
    shown = title;
  }, [title]);
  return (
    <div>
      <Title order={1} ref={heading} tabIndex={-1}>
        {title}
      </Title>
      {children && (
        <Text c="dimmed" mt={6} mb="xl" component="div">
          {children}
        </Text>
      )}
    </div>
  );
}
