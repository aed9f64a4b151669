// Portal: links in mails to unsubscribe from a topic. They are signed and not stored.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isTopic, TOPICS, type Topic } from '#core/notices.ts';

export const UNSUBSCRIBE_PATH = '/portal/unsubscribe';

export interface UnsubscribeLinks {
  url(userId: string, topic: Topic): string;
  /** Person and topic of the link; null if it is not one of ours, or its topic cannot be muted. */
  read(token: string): { userId: string; topic: Topic } | null;
}

/** `secret` signs the links, which are valid as long as it is unchanged. */
export function createUnsubscribeLinks(secret: string, origin: string): UnsubscribeLinks {
  const signatureOf = (userId: string, topic: string) =>
    createHmac('sha256', secret).update(`unsubscribe ${userId}.${topic}`).digest('base64url').slice(0, 27);
  return {
    url: (userId, topic) => `${origin}${UNSUBSCRIBE_PATH}/${userId}.${topic}.${signatureOf(userId, topic)}`,
    read(token) {
      const [userId = '', topic = '', signature = ''] = token.split('.');
      const right = Buffer.from(signatureOf(userId, topic));
      const given = Buffer.from(signature);
      const isValid = given.length === right.length && timingSafeEqual(given, right);
      return isValid && isTopic(topic) && !TOPICS[topic].required ? { userId, topic } : null;
    },
  };
}
