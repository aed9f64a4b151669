// Components: shows and chooses scopes, in plain words.
import { Checkbox, Stack, Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { SCOPE_COUNT, SCOPE_MEANINGS, SCOPE_NAMES, SCOPES, type Scope } from '#core/scopes.ts';
import choices from '../choice-list.module.css';
import { Dimmed } from '../dimmed.tsx';
import classes from './scopes.module.css';

/** `Registry`: a scope on its own. */
export const scopeName = (scope: string): string => SCOPE_NAMES[scope as Scope] ?? scope;

/** `Registry, Valuation and 3 more`. */
export function scopesText(scopes: readonly string[], max: number = SCOPES.length): string {
  if (scopes.length === SCOPES.length) return `All ${SCOPE_COUNT} scopes`;
  if (scopes.length === 0) return 'No scope';
  const names = scopes.slice(0, max).map(scopeName);
  return scopes.length > max ? `${names.join(', ')} and ${scopes.length - max} more` : names.join(', ');
}

/** The scopes of a grant and of its key. */
interface BothScopes {
  scopes: readonly string[];
  keyScopes: readonly string[];
}

/** Those that the grant names and the key has: what the key can read. */
export const effectiveScopes = ({ scopes, keyScopes }: BothScopes): string[] =>
  scopes.filter((scope) => keyScopes.includes(scope));

/** Those that the grant names although the key does not have them. */
export const idleScopes = ({ scopes, keyScopes }: BothScopes): string[] =>
  scopes.filter((scope) => !keyScopes.includes(scope));

/** The name of a scope and its meaning for the reader: firms see those of the API, clients what it shows. */
export interface ScopeWords {
  nameOf: (scope: string) => string;
  meanings: Readonly<Record<Scope, string>>;
}

const FIRM_WORDS: ScopeWords = { nameOf: scopeName, meanings: SCOPE_MEANINGS };

interface ScopeListProps {
  /** The included scopes. */
  scopes: readonly string[];
  /** All scopes to list, with those not included marked so; by default only the included ones. */
  of?: readonly string[];
  words?: ScopeWords;
}

/** The scopes, with what each unlocks. */
export function ScopeList({ scopes, of = scopes, words = FIRM_WORDS }: ScopeListProps) {
  return (
    <ul className={classes.list}>
      {SCOPES.filter((scope) => of.includes(scope)).map((scope) => {
        const on = scopes.includes(scope);
        const Icon = on ? IconCheck : IconMinus;
        return (
          <li key={scope} data-off={!on || undefined}>
            <Icon size={16} className={classes.mark} aria-label={on ? 'Included:' : 'Not included:'} role="img" />
            <div>
              <Text size="sm" fw={500}>
                {words.nameOf(scope)}
              </Text>
              <Dimmed>{words.meanings[scope]}</Dimmed>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

interface ScopePickerProps {
  label: string;
  description?: string;
  value: readonly string[];
  onChange: (scopes: string[]) => void;
  /** Scopes that can be chosen; all by default. */
  of?: readonly string[];
  /** Why the others cannot be chosen. */
  otherwise?: string;
  /** Others that were chosen before, and can be left out. */
  given?: readonly string[] | undefined;
  words?: ScopeWords;
  error?: ReactNode;
}

export function ScopePicker(props: ScopePickerProps) {
  const { label, description, value, onChange, of = SCOPES, otherwise, given = [], words = FIRM_WORDS, error } = props;
  const inOrder = (chosen: string[]) => onChange(SCOPES.filter((scope) => chosen.includes(scope)));
  return (
    <Checkbox.Group label={label} description={description} value={[...value]} onChange={inOrder} error={error}>
      <Stack gap={0} mt="xs" className={choices.list}>
        {SCOPES.map((scope) => {
          const possible = of.includes(scope);
          return (
            <Checkbox
              key={scope}
              value={scope}
              disabled={!possible && !given.includes(scope)}
              label={words.nameOf(scope)}
              description={possible ? words.meanings[scope] : otherwise}
              classNames={{ root: choices.option, body: choices.body }}
            />
          );
        })}
      </Stack>
    </Checkbox.Group>
  );
}
