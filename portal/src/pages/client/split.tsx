// Client: choices on the left and their effect on the right; one below the other on narrow screens.
import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Dimmed } from '../../components/dimmed.tsx';
import classes from './grants/grant.module.css';

export function Split({ children, aside }: { children: ReactNode; aside: ReactNode }) {
  return (
    <div className={classes.split}>
      <div>{children}</div>
      <div className={`off-paper ${classes.right}`}>{aside}</div>
    </div>
  );
}

export function Part({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={id}>
      <Title order={2} size="h3" id={id} className={classes.partTitle}>
        {title}
      </Title>
      {lead && <Dimmed mb="sm">{lead}</Dimmed>}
      {children}
    </section>
  );
}
