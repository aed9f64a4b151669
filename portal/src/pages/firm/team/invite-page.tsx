// Firm: invites a person to become a member.
import { Stack, TextInput } from '@mantine/core';
import { useLocation } from 'wouter';
import { INVITATION_DAYS } from '#core/periods.ts';
import { MAX_EMAIL, MAX_NAME } from '#core/text-lengths.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { useGuardedForm } from '../../../components/guarded-form.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { InviteMember, Team, type TeamQuery } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { emailFault } from '../../entry/email-fault.ts';
import { RoleChoice } from './role-choice.tsx';

export default function InvitePage() {
  const reading = useRead(Team, {});
  return (
    <>
      <PageHeader
        title="Invite a member"
        back={{ to: '/team', label: 'Members' }}
        lead={`They get a mail with a link, and are a member once they have accepted. The link is valid for ${INVITATION_DAYS} days.`}
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={6} />}>
        {(team) =>
          team.sendsMail ? (
            <InviteForm roles={team.roles} />
          ) : (
            <Notice tone="warn" title="No mails are sent">
              This installation of Portico has no mail server, and invitations are sent by mail only. Portico’s staff
              can add members.
            </Notice>
          )
        }
      </Reading>
    </>
  );
}

const EMPTY = { name: '', email: '', role: 'developer' };

function InviteForm({ roles }: { roles: TeamQuery['body']['roles'] }) {
  const [, navigate] = useLocation();
  const invite = useAction(InviteMember, {
    lookUp: async ({ email }, since) => {
      const team = await call(Team, {});
      const sent = ({ email: to, createdAt }: TeamQuery['body']['invitations'][number]) =>
        to === email.toLowerCase() && Date.parse(createdAt) >= since;
      return team.invitations.some(sent) ? team : null;
    },
    done: () => 'The invitation is on its way.',
    onDone: () => {
      release();
      navigate('/team');
    },
  });
  const { form, field, fault, release, submit } = useGuardedForm({
    name: 'invitation',
    start: EMPTY,
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter the person’s name.' : null),
      email: emailFault,
    },
    refused: invite.error,
  });
  const send = submit(({ name, email, role }) => invite.start({ name: name.trim(), email: email.trim(), role }));
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="xl" maw="34rem">
        <TextInput label="Name" maxLength={MAX_NAME} autoComplete="off" {...form.getInputProps('name')} />
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="off"
          maxLength={MAX_EMAIL}
          {...form.getInputProps('email')}
        />
        <RoleChoice roles={roles} {...field('role')} />
        <ActionFault of={{ ...invite, error: fault }} />
        <FormEnd send="Send invitation" action={invite} onCancel={release} to="/team" />
      </Stack>
    </form>
  );
}
