// Components: a button that clears the filters of a list, and disappears with that.
import { Button, type ButtonProps } from '@mantine/core';
import { toFirstFilter } from '../focus.ts';

interface ClearFiltersProps extends ButtonProps {
  onClear: () => void;
}

export function ClearFilters({ onClear, ...look }: ClearFiltersProps) {
  return (
    <Button
      {...look}
      onClick={({ currentTarget }) => {
        toFirstFilter(currentTarget);
        onClear();
      }}
    >
      Clear filters
    </Button>
  );
}
