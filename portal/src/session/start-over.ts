// Session: the program is loaded again, with nothing left of what was read, and with what is half filled in.
import { notifications } from '@mantine/notifications';
import { keepDrafts } from './drafts.ts';
import { dropGuards } from './leaving.ts';

const SAYING = 'portico-saying';

/** At `path` (`/portal/`), or where it is; `message` is said then. It is told whether anything half filled in was kept. */
export function startOver({ path, message }: { path?: string; message: (kept: boolean) => string }): void {
  sessionStorage.setItem(SAYING, message(keepDrafts()));
  dropGuards();
  if (path === undefined) location.reload();
  else location.replace(path);
}

/** Said by the program that was loaded again. */
export function sayAfterLoading(): void {
  const message = sessionStorage.getItem(SAYING);
  sessionStorage.removeItem(SAYING);
  if (message !== null) notifications.show({ message, autoClose: 12_000 });
}
