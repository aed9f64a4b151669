// Account: notifications by mail.
import { Checkbox, Stack } from '@mantine/core';
import { NEAR_PERCENT } from '#core/near-limit.ts';
import { ActionFault } from '../../components/page/action-fault.tsx';
import { Notice } from '../../components/page/notice.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { Section } from '../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../components/page/states.tsx';
import { ZONE } from '../../components/time.tsx';
import { NotificationSettings, type NotificationSettingsQuery, SetNotification } from '../../generated/operations.ts';
import { call } from '../../graphql/call.ts';
import { useRead } from '../../graphql/hooks.ts';
import { useAction } from '../../graphql/use-action.ts';
import { useViewer } from '../../session/viewer.ts';
import classes from './account.module.css';

type Topic = NotificationSettingsQuery['body']['topics'][number];

/** Name and meaning of each topic. */
const WORDS: Record<string, [name: string, meaning: string]> = {
  requests: ['Requests', 'A firm asks for access to your portfolio.'],
  receipts: ['Receipts', 'Access was given, changed or ended, by you or for you: who, what, and until when.'],
  ending: ['Ends', 'Access expires within seven days, or has expired.'],
  first_use: ['First use', 'A firm has used its access for the first time.'],
  answers: ['Answers', 'A client gave, changed or ended your access.'],
  firm_ending: ['Ending access', 'Grants to your firm end in 30 and in 7 days.'],
  keys: ['Expiring keys', 'A key of your firm expires in 30 and in 7 days.'],
  limits: [
    'Limits',
    `A key has used ${NEAR_PERCENT} % of a limit, or its requests are refused. At most once a day for each key.`,
  ],
  security: [
    'Your account',
    'Somebody signed in on a new device; your password, second factor or e-mail address was changed.',
  ],
};

export default function NotificationsPage() {
  const reading = useRead(NotificationSettings, {});
  const { timeZone } = useViewer();
  return (
    <>
      <PageHeader
        title="Notifications"
        lead="What Portico tells you by mail. Every mail that you can turn off has a link that does so."
        back={{ to: '/account', label: 'Account' }}
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={8} />}>
        {({ available, topics }) => (
          <div className={classes.page}>
            {!available && (
              <Notice tone="warn" title="No mails are sent">
                This installation of Portico has no mail server. Your choices apply once it has one.
              </Notice>
            )}
            <Section title="You choose">
              <Stack gap="lg">
                {topics
                  .filter(({ required }) => !required)
                  .map((topic) => (
                    <Choice key={topic.topic} of={topic} />
                  ))}
                {topics.every(({ required }) => required) && 'There are no notifications that you can turn off.'}
              </Stack>
            </Section>
            <Section title="Times in mails">
              Mails tell times in the zone of the device on which you last opened the portal: {timeZone ?? ZONE}.
            </Section>
            <Section title="Always sent" lead="They protect your account, or document what was agreed.">
              <Stack gap="lg">
                {topics
                  .filter(({ required }) => required)
                  .map(({ topic }) => (
                    <Checkbox key={topic} checked readOnly disabled {...textsOf(topic)} />
                  ))}
              </Stack>
            </Section>
          </div>
        )}
      </Reading>
    </>
  );
}

const textsOf = (topic: string) => {
  const [label, description] = WORDS[topic] ?? [topic, ''];
  return { label, description };
};

function Choice({ of: { topic, mails } }: { of: Topic }) {
  const action = useAction(SetNotification, {
    lookUp: async (wanted) => {
      const settings = await call(NotificationSettings, {});
      return settings.topics.some((one) => one.topic === topic && one.mails === wanted.mails) ? settings : null;
    },
  });
  return (
    <div>
      <Checkbox
        {...textsOf(topic)}
        checked={mails}
        // `disabled` would lose the focus.
        aria-disabled={action.isPending}
        opacity={action.isPending ? 0.5 : 1}
        onChange={({ currentTarget }) => action.start({ topic, mails: currentTarget.checked })}
      />
      <ActionFault of={action} />
    </div>
  );
}
