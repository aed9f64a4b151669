// Client: a notification about a firm after an action.
import { notifications } from '@mantine/notifications';

/** `what` follows the firm's name: `can now see what you gave.` */
export function notifyOfFirm(firmName: string, what: string): void {
  const message = (
    <>
      <bdi>{firmName}</bdi> {what}
    </>
  );
  notifications.show({ message });
}
