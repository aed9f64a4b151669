// Components: a titled section of a page, notable figures, and names with values.
import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Dimmed } from '../dimmed.tsx';
import classes from './section.module.css';

interface SectionProps {
  title: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  /** The target of links to it. */
  id?: string;
  children: ReactNode;
}

export function Section({ title, lead, actions, id: anchor, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} id={anchor} aria-labelledby={id}>
      <div className={classes.head}>
        <div className={classes.words}>
          <Title order={2} id={id} className="breakable">
            {title}
          </Title>
          {lead && (
            <Dimmed mt={2} maw="42rem" component="div">
              {lead}
            </Dimmed>
          )}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

interface Figure {
  label: string;
  value: ReactNode;
  /** A few words below. */
  note?: ReactNode;
}

export function Figures({ of }: { of: readonly Figure[] }) {
  return (
    <dl className={classes.figures}>
      {of.map(({ label, value, note }) => (
        <div key={label} className={classes.figure}>
          <dt>{label}</dt>
          <dd className="numbers">
            {value}
            {note && <span className={classes.note}>{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Omitted if the value is null or undefined. */
export type Fact = readonly [name: string, value: ReactNode];

interface FactsProps {
  of: readonly Fact[];
  /** Each value beside its name, one below the other; otherwise in columns, below its name. */
  rows?: boolean;
}

/** Names and values of an object. */
export function Facts({ of, rows = false }: FactsProps) {
  const known = of.filter(([, value]) => value != null);
  return (
    <dl className={rows ? classes.rows : classes.facts}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
