// Client: chooses one of the client's collections.
import { Group, Select, Text } from '@mantine/core';
import { Dimmed } from '../../../components/dimmed.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { Reading } from '../../../components/page/states.tsx';
import { OwnCollections } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import type { GivenFilter } from './draft.ts';

interface CollectionChoiceProps {
  /** Collection id. */
  value: string | null;
  onChange: (id: string | null) => void;
  /** The collection that is already named. */
  given: GivenFilter['collection'];
  /** Whether no other can be chosen. */
  fixed: boolean;
}

export function CollectionChoice({ value, onChange, given, fixed }: CollectionChoiceProps) {
  const own = useRead(OwnCollections, {}, { enabled: !fixed });
  if (fixed && given !== null)
    return (
      <Text size="sm">
        “{given.name ?? 'deleted'}”, {countOf(given.itemCount, 'item')}
      </Text>
    );
  return (
    <Reading of={own}>
      {(collections) => (
        <Select
          label="Collection"
          placeholder={collections.length === 0 ? 'You have no collections yet' : 'Choose a collection'}
          disabled={collections.length === 0}
          searchable={collections.length > 8}
          limit={200}
          value={value}
          onChange={onChange}
          allowDeselect={false}
          data={collections.map(({ id, name }) => ({ value: id, label: name }))}
          renderOption={({ option }) => (
            <Group justify="space-between" gap="md" wrap="nowrap" flex={1}>
              <span className="breakable">{option.label}</span>
              <Dimmed span size="xs">
                {countOf(collections.find(({ id }) => id === option.value)?.itemCount ?? 0, 'item')}
              </Dimmed>
            </Group>
          )}
          nothingFoundMessage="No collection matches."
        />
      )}
    </Reading>
  );
}
