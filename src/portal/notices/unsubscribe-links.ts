// Portal: the links in mails by which a topic's mails end. They are signed and not stored: there is nothing to look up.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isTopic, TOPICS, type Topic } from '#core/notices.ts';

export const UNSUBSCRIBE_PATH = '/portal/unsubscribe';

export interface UnsubscribeLinks {
  url(userId: string, topic: Topic): string;
  /** Whom and what the link is for; null where it is none of ours, or of a topic that is never turned off. */
  read(token: string): { userId: string; topic: Topic } | null;
}

/** `secret` signs the links; they hold as long as it does. */
export function createUnsubscribeLinks(secret: string, origin: string): UnsubscribeLinks {
  const signatureOf = (named: string) =>
    createHmac('sha256', secret).update(`unsubscribe ${named}`).digest('base64url').slice(0, 27);
  return {
    url: (userId, topic) => `${origin}${UNSUBSCRIBE_PATH}/${userId}.${topic}.${signatureOf(`${userId}.${topic}`)}`,
    read(token) {
      const [userId = '', topic = '', signature = ''] = token.split('.');
      const right = Buffer.from(signatureOf(`${userId}.${topic}`));
      const given = Buffer.from(signature);
      const holds = given.length === right.length && timingSafeEqual(given, right);
      return holds && isTopic(topic) && !TOPICS[topic].required ? { userId, topic } : null;
    },
  };
}
