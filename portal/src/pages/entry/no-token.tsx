// Entry: the page of a link without the link's token, which is nowhere but in the link itself.
import { EntryTitle } from './entry-title.tsx';

export function NoToken() {
  return (
    <EntryTitle title="Open the link again">
      This page does not keep it. Open the link that was sent to you once more, or copy it in full.
    </EntryTitle>
  );
}
