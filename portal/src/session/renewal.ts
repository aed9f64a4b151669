// Session: the portal was renewed since this page was loaded: a part of the program, or an operation, is not there any more.
import { notifications } from '@mantine/notifications';
import { noteReachable } from '../graphql/reachable.ts';
import { isIrreplaceable } from './leaving.ts';
import { startOver } from './start-over.ts';

const RELOADED = 'portico-reloaded';

/** What loading again did not cure within this time is no renewal. */
const ONCE_IN_MS = 60_000;

/** Loads the program again, once; where something irreplaceable is shown, it says so instead. */
export function loadAgain(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < ONCE_IN_MS) return;
  if (isIrreplaceable()) {
    const message = 'The portal was renewed. Keep what is shown here first, then load the page again.';
    notifications.show({ id: 'renewed', message, autoClose: false });
    return;
  }
  sessionStorage.setItem(RELOADED, String(Date.now()));
  const said = 'The portal was renewed and has been loaded again.';
  startOver({ message: (kept) => (kept ? `${said} What you had filled in is still here.` : said) });
}

/** A part that does not arrive is on no server any more, or no server can be reached. */
window.addEventListener('vite:preloadError', () => {
  const away = () => noteReachable(false);
  void fetch('/portal/auth/options').then(({ ok }) => (ok ? loadAgain() : away()), away);
});
