// Components: secondary text, smaller and paler than the text that it explains.
import { Text } from '@mantine/core';

export const Dimmed = Text.withProps({ size: 'sm', c: 'dimmed' });
