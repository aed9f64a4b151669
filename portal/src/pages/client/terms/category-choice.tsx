// Client: some of one's own categories.
import { Checkbox, SimpleGrid } from '@mantine/core';
import { countOf } from '../../../components/numbers.tsx';
import { Reading } from '../../../components/page/states.tsx';
import { OwnCategories } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';

interface CategoryChoiceProps {
  /** Codes. */
  value: readonly string[];
  onChange: (codes: string[]) => void;
  /** Categories that are named already: they stay on offer without an item, too. */
  named: readonly { code: string; name: string }[];
  /** Nothing but these can be chosen. */
  among?: readonly string[] | undefined;
}

export function CategoryChoice({ value, onChange, named, among }: CategoryChoiceProps) {
  const own = useRead(OwnCategories, {});
  return (
    <Reading of={own}>
      {(categories) => {
        const empty = named.filter(({ code }) => categories.every((own) => own.code !== code));
        const all = [...categories, ...empty.map((category) => ({ ...category, itemCount: 0 }))];
        return (
          <Checkbox.Group aria-label="Categories" value={[...value]} onChange={onChange}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
              {all
                .filter(({ code }) => among === undefined || among.includes(code))
                .map(({ code, name, itemCount }) => (
                  <Checkbox key={code} value={code} label={name} description={countOf(itemCount, 'item')} />
                ))}
            </SimpleGrid>
          </Checkbox.Group>
        );
      }}
    </Reading>
  );
}
