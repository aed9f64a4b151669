// Schema: the signed-in person's notifications by mail, and their preferences.
import { Refusal, refuseParameter } from '#core/errors.ts';
import { isTopic, TOPICS, type Topic, topicsOf } from '#core/notices.ts';
import { requireUser } from '#gateway/consent/actor.ts';
import type { Context } from '#gateway/execution/context.ts';
import { findViewer } from '#repositories/accounts/viewers.ts';
import { mutedTopics, setMuted } from '#repositories/notices/preferences.ts';
import { builder, ofPortal } from '../../builder.ts';
import { exposed } from '../../exposed.ts';

interface Settings {
  topics: { topic: Topic; mails: boolean }[];
}

const NotificationTopic = builder.objectRef<Settings['topics'][number]>('NotificationTopic').implement({
  description: 'Something that a person is told of by mail.',
  fields: (t) => ({
    ...exposed(t, 'portal', {
      topic: [
        'String',
        'Of clients: requests, receipts, ending, first_use. Of firm members: answers, firm_ending, keys, limits. Of everybody: security.',
      ],
      mails: ['Boolean', 'Whether they are told of it.'],
    }),
    required: t.boolean({
      authScopes: ofPortal,
      description: 'Whether it cannot be turned off.',
      resolve: ({ topic }) => TOPICS[topic].required,
    }),
  }),
});

const NotificationSettings = builder.objectRef<Settings>('NotificationSettings').implement({
  description: 'What the person who is signed in is told of by mail.',
  fields: (t) => ({
    available: t.boolean({
      authScopes: ofPortal,
      description: 'Whether this installation sends mails.',
      resolve: (_settings, _args, { sendsMail }) => sendsMail,
    }),
    ...exposed(t, 'portal', {
      topics: [
        [NotificationTopic],
        'Those that there are for people in their role, in the order in which they are shown.',
      ],
    }),
  }),
});

builder.queryField('notificationSettings', (t) =>
  t.field({
    type: NotificationSettings,
    authScopes: ofPortal,
    description: 'What the person who is signed in is told of by mail.',
    resolve: (_root, _args, context) => settingsOf(context),
  }),
);

builder.mutationField('setNotification', (t) =>
  t.field({
    type: NotificationSettings,
    authScopes: ofPortal,
    description: 'Turns the mails of a topic on or off, for the person who is signed in.',
    args: {
      topic: t.arg.string({ required: true, description: 'One of theirs that is not required.' }),
      mails: t.arg.boolean({ required: true, description: 'Whether they want to be told of it.' }),
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
  const viewer = await findViewer(context.database, userId);
  if (viewer === null) throw new Refusal('resource_not_found');
  const muted = await mutedTopics(context.database, userId);
  return { topics: topicsOf(viewer.role).map((topic) => ({ topic, mails: !muted.includes(topic) })) };
}
