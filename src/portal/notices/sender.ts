// Portal: sends the mails in the outbox: each by one gateway at a time, and again after a failure.
import type { Events } from '#core/events.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import { withTimeout } from '#core/with-timeout.ts';
import {
  LEASE_SECONDS,
  MAX_DELAY_SECONDS,
  type Notice,
  type Notices,
  type OutboxState,
} from '#gateway/notices/notices.ts';
import { type Mailer, MailRefused, withoutReply } from '../mail.ts';
import { compose, type Postmark } from './compose.ts';

/** Maximum delay of a due notice; notices that become due with time may take a minute. */
const INTERVAL_MS = 5_000;
/** Number of concurrent mails of a process. */
const MAX_CONCURRENT = 3;
/** Timeout of a mail, well before another process may take the notice. */
const PATIENCE_MS = (LEASE_SECONDS - 10) * 1_000;
/** How long a shutdown waits for mails that are being sent. */
const GRACE_MS = 10_000;
const FIRST_DELAY_SECONDS = 20;

interface SenderCounts {
  sent: number;
  /** Failed attempts, which will be repeated. */
  failures: number;
}

export interface Sender {
  counts(): SenderCounts;
  /** State of the whole outbox, as of the last look. */
  outbox(): OutboxState;
  /** Stops sending, and waits for mails that are being sent. */
  close(): Promise<void>;
}

interface SenderParts {
  notices: Notices;
  mailer: Pick<Mailer, 'send'>;
  postmark: Postmark;
  events: Events;
  /** Work to be done before each look. */
  before?: (() => Promise<void>) | undefined;
  /** Interval between looks at the outbox. */
  intervalMs?: number | undefined;
}

/** Seconds until the next attempt: doubled after each, up to an hour. */
const delayOf = ({ attempts }: Notice): number =>
  Math.min(FIRST_DELAY_SECONDS * 2 ** Math.min(attempts - 1, 10), MAX_DELAY_SECONDS);

/** Looks at once, and then at intervals. */
export function startSender(parts: SenderParts): Sender {
  const { notices, mailer, postmark, events, before, intervalMs = INTERVAL_MS } = parts;
  const counts: SenderCounts = { sent: 0, failures: 0 };
  let outbox: OutboxState = { waiting: 0, oldestSeconds: 0, refused: 0, lapsed: 0 };
  let closing = false;

  async function send(notice: Notice): Promise<void> {
    const composed = await compose(notices, notice, postmark);
    if (composed === null) return notices.end(notice, 'unwanted');
    const { to, mail, envelope } = composed;
    await withTimeout(PATIENCE_MS, mailer.send(to, mail, envelope), late);
    counts.sent += 1;
    await notices.end(notice, 'sent');
  }

  async function trySending(notice: Notice): Promise<void> {
    try {
      await send(notice);
    } catch (error) {
      if (error instanceof MailRefused) return notices.end(notice, 'refused');
      counts.failures += 1;
      events.emit('failure', { requestId: null, where: 'mail', error: withoutReply(error) });
      await notices.delay(notice, delayOf(notice));
    }
  }

  async function drain(): Promise<void> {
    while (!closing) {
      const notice = await notices.take();
      if (notice === null) return;
      await trySending(notice);
    }
  }

  async function sendDue(): Promise<void> {
    await before?.();
    await notices.findDue();
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, drain));
    outbox = await notices.state();
  }

  const looking = oneAtATime(() =>
    sendDue().catch((error: unknown) => {
      events.emit('failure', { requestId: null, where: 'outbox', error });
    }),
  );
  void looking.run();
  const timer = setInterval(() => void looking.run(), intervalMs).unref();

  return {
    counts: () => counts,
    outbox: () => outbox,
    async close() {
      closing = true;
      clearInterval(timer);
      await withTimeout(GRACE_MS, looking.idle(), late).catch(() => {});
    },
  };
}

const late = () => new Error('the mail server does not answer in time');
