// Entry: the page of a link without the link's token, which is nowhere but in the link itself.
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { EntryTitle } from './entry-title.tsx';

export function NoToken() {
  return (
    <>
      <EntryTitle title="Open the link again">
        This page opens only from the link in the mail. Open that link once more, or copy it in full.
      </EntryTitle>
      <Anchor component={Link} href="/sign-in">
        Go to sign-in
      </Anchor>
    </>
  );
}
