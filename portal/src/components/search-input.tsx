// Components: a field to search a list by text.
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

export const SearchInput = TextInput.withProps({ leftSection: <IconSearch size={16} aria-hidden /> });
