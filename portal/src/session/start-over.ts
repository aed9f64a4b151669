// Session: reloads the program without cached data, but with the drafts of forms.
import { notifications } from '@mantine/notifications';
import { storeDrafts } from './drafts.ts';
import { dropGuards } from './leaving.ts';

const MESSAGE_KEY = 'portico-saying';

/**
 * Loads `path` (`/portal/`), or the present page. `message`, which gets whether drafts were kept, is shown afterwards.
 */
export function startOver({ path, message }: { path?: string; message: (kept: boolean) => string }): void {
  sessionStorage.setItem(MESSAGE_KEY, message(storeDrafts()));
  dropGuards();
  if (path === undefined) location.reload();
  else location.replace(path);
}

/** Shows the message after the reload. */
export function showStoredMessage(): void {
  const message = sessionStorage.getItem(MESSAGE_KEY);
  sessionStorage.removeItem(MESSAGE_KEY);
  if (message !== null) notifications.show({ message, autoClose: 12_000 });
}
