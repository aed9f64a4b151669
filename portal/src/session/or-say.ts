// Session: a step that has no place of its own on the page where its refusal could stand.
import { notifications } from '@mantine/notifications';
import { PorticoError } from '../graphql/portico-error.ts';

/** Does the work; a refusal is said in a notification, anything else is thrown. */
export async function orSay(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    notifications.show({ color: 'red', message: error.message });
  }
}
