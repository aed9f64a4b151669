// Components: a link to another page within a sentence, underlined so that it differs from the words around it.
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';

export const TextLink = Anchor.withProps<typeof Link>({ component: Link, underline: 'always' });
