// Components: filters above a list. They are stored in the address, so that a filtered list can be shared.
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { ClearFilters } from './clear-filters.tsx';
import classes from './filter-bar.module.css';

export interface Filters<Name extends string> {
  values: Record<Name, string | null>;
  set: (changes: Partial<Record<Name, string | null>>) => void;
  /** Properties of the input of a filter. */
  field: (name: Name) => { value: string; onChange: (event: { currentTarget: { value: string } }) => void };
  /** Whether any filter is set. */
  active: boolean;
  clear: () => void;
}

/**
 * The filters in the address by name, null if not set; `set` removes null and empty ones. A change replaces the history
 * entry, so that Back leaves the page. `known` tells which values a filter can have: any other counts as not set, since
 * its input would show none.
 */
export function useFilters<Name extends string>(
  names: readonly Name[],
  known: Partial<Record<Name, (value: string) => boolean>> = {},
): Filters<Name> {
  const [parameters, setParameters] = useSearchParams();
  const knownValue = (name: Name): string | null => {
    const value = parameters.get(name);
    return value && (known[name]?.(value) ?? true) ? value : null;
  };
  const values = Object.fromEntries(names.map((name) => [name, knownValue(name)])) as Record<Name, string | null>;
  const set = (changes: Partial<Record<Name, string | null>>) =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries<string | null | undefined>(changes))
          if (value) after.set(name, value);
          else after.delete(name);
        return after;
      },
      { replace: true },
    );
  const field = (name: Name) => ({
    value: values[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      set({ [name]: event.currentTarget.value } as Record<Name, string>),
  });
  const active = names.some((name) => values[name] !== null);
  const clear = () => set(Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>);
  return { values, set, field, active, clear };
}

interface FilterBarProps {
  /** Whether a filter is set. */
  active: boolean;
  onClear: () => void;
  /** Inputs with visible labels. */
  children: ReactNode;
  /** At the end of the bar: exports and the like. */
  actions?: ReactNode;
}

export function FilterBar({ active, onClear, children, actions }: FilterBarProps) {
  return (
    <search className={classes.bar} aria-label="Filters">
      {children}
      {active && <ClearFilters variant="subtle" color="gray" onClear={onClear} />}
      {actions && <div className={classes.actions}>{actions}</div>}
    </search>
  );
}
