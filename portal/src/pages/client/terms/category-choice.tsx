// Client: chooses some of the client's categories.
import { Checkbox, SimpleGrid } from '@mantine/core';
import { countOf } from '../../../components/numbers.tsx';
import { Reading } from '../../../components/page/states.tsx';
import { OwnCategories } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';

interface CategoryChoiceProps {
  /** Codes. */
  value: readonly string[];
  onChange: (codes: string[]) => void;
  /** Categories that are already named, which are offered even without items. */
  named: readonly { code: string; name: string }[];
  /** Limits the choice to these. */
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
