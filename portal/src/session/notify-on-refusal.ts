// Session: shows the refusal of an action that has no place for it on the page.
import { notifications } from '@mantine/notifications';
import { PorticoError } from '../graphql/portico-error.ts';

/** Runs the work. A refusal is shown as a notification, any other error is thrown. */
export async function notifyOnRefusal(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    notifications.show({ color: 'red', message: error.message });
  }
}
