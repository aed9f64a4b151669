// Session: the portal was updated since this page was loaded, so that a part of the program or an operation does not
// exist any more.
import { notifications } from '@mantine/notifications';
import { exchange } from '../graphql/exchange.ts';
import { noteUnreachable } from '../graphql/reachable.ts';
import { isIrreplaceable } from './leaving.ts';
import { startOver } from './start-over.ts';

const RELOADED = 'portico-reloaded';

/** A repeated failure within this time is not caused by an update. */
const MIN_INTERVAL_MS = 60_000;

/** Reloads the program, unless that was tried a moment ago and the page shows the error (`Failure`). */
export function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) >= MIN_INTERVAL_MS) reloadProgram();
}

/** If something irreplaceable is shown, shows a message instead. */
export function reloadProgram(): void {
  if (isIrreplaceable()) {
    const message = 'The portal was updated. Save what is shown here first, then reload the page.';
    notifications.show({ id: 'renewed', message, autoClose: false });
    return;
  }
  sessionStorage.setItem(RELOADED, String(Date.now()));
  const text = 'The portal was updated and has been reloaded.';
  startOver({ message: (kept) => (kept ? `${text} What you had filled in is still here.` : text) });
}

/** A part of the program that cannot be loaded no longer exists, or the server cannot be reached. */
window.addEventListener('vite:preloadError', () => {
  void exchange('/portal/auth/options').then(reloadOnce, noteUnreachable);
});
