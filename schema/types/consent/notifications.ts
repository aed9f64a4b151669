// Schema: the signed-in person's notifications by mail, and their preferences.
import { Refusal, refuseParameter } from '#core/errors.ts';
import { isTopic, TOPICS, type Topic, topicsOf } from '#core/notices.ts';
import { requireUser } from '#gateway/consent/actor.ts';
import type { Context } from '#gateway/execution/context.ts';
import { requireViewer } from '#repositories/accounts/viewers.ts';
import { mutedTopics, setMuted } from '#repositories/notices/preferences.ts';
import { builder, ofPortal } from '../../builder.ts';
import { exposed } from '../../exposed.ts';

interface Settings {
  topics: { topic: Topic; mails: boolean }[];
}

const NotificationTopic = builder.objectRef<Settings['topics'][number]>('NotificationTopic').implement({
  description: 'A topic of mails to a person.',
  fields: (t) => ({
    ...exposed(t, 'portal', {
      topic: [
        'String',
        'For clients: requests, receipts, ending, first_use. For firm members: answers, firm_ending, keys, limits. For everybody: security.',
      ],
      mails: ['Boolean', 'Whether mails are sent to them.'],
    }),
    required: t.boolean({
      authScopes: ofPortal,
      description: 'Whether it cannot be muted.',
      resolve: ({ topic }) => TOPICS[topic].required,
    }),
  }),
});

const NotificationSettings = builder.objectRef<Settings>('NotificationSettings').implement({
  description: "The signed-in person's notifications by mail.",
  fields: (t) => ({
    available: t.boolean({
      authScopes: ofPortal,
      description: 'Whether this installation sends mails.',
      resolve: (_settings, _args, { sendsMail }) => sendsMail,
    }),
    ...exposed(t, 'portal', {
      topics: [[NotificationTopic], 'The topics for people in their role, in the order of display.'],
    }),
  }),
});

builder.queryField('notificationSettings', (t) =>
  t.field({
    type: NotificationSettings,
    authScopes: ofPortal,
    description: "The signed-in person's notifications by mail.",
    resolve: (_root, _args, context) => settingsOf(context),
  }),
);

builder.mutationField('setNotification', (t) =>
  t.field({
    type: NotificationSettings,
    authScopes: ofPortal,
    description: 'Turns mails of a topic on or off for the signed-in person.',
    args: {
      topic: t.arg.string({ required: true, description: 'One of their topics that is not required.' }),
      mails: t.arg.boolean({ required: true, description: 'Whether they want these mails.' }),
    },
    resolve: async (_root, { topic, mails }, context) => {
      const { topics } = await settingsOf(context);
      if (!isTopic(topic) || TOPICS[topic].required) refuseParameter('topic', `"${topic}" cannot be chosen.`);
      if (!topics.some((one) => one.topic === topic)) throw new Refusal('forbidden');
      await setMuted(context.database, { userId: requireUser(context), topic }, !mails);
      return settingsOf(context);
    },
  }),
);

async function settingsOf(context: Context): Promise<Settings> {
  const userId = requireUser(context);
  const { role } = await requireViewer(context.database, userId);
  const muted = await mutedTopics(context.database, userId);
  return { topics: topicsOf(role).map((topic) => ({ topic, mails: !muted.includes(topic) })) };
}
