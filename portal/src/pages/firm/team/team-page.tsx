// Firm: its members, its invitations, and its requirements for members.
import { Button, Group, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Dimmed } from '../../../components/dimmed.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { Status } from '../../../components/status.tsx';
import { Time } from '../../../components/time.tsx';
import { Team, type TeamQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { roleName, useIsAdministrator } from '../../../session/firm-role.ts';
import { MemberActions } from './member-actions.tsx';
import { SecondFactorRule } from './second-factor-rule.tsx';
import classes from './team.module.css';
import { WithdrawInvitationButton } from './withdraw-invitation.tsx';

type TeamBody = TeamQuery['body'];
type Member = TeamBody['members'][number];

export default function TeamPage() {
  const administrator = useIsAdministrator();
  const reading = useRead(Team, {});
  return (
    <>
      <PageHeader
        title="Members"
        lead="Who works for your firm here, and what each of them may do."
        actions={
          administrator && (
            <Button component={Link} href="/team/invite" leftSection={<IconPlus size={17} aria-hidden />}>
              Invite
            </Button>
          )
        }
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={8} />}>
        {(team) => <TeamView of={team} />}
      </Reading>
    </>
  );
}

function TeamView({ of: team }: { of: TeamBody }) {
  const administrator = useIsAdministrator();
  return (
    <>
      <ul className={classes.people} aria-label="Members">
        {team.members.map((member) => (
          <MemberRow key={member.id} of={member} team={team} />
        ))}
      </ul>
      {team.invitations.length > 0 && (
        <Section title="Invited" lead="They have not answered yet.">
          <ul className={classes.people} aria-label="Invited">
            {team.invitations.map((invitation) => (
              <InvitationRow key={invitation.id} of={invitation} />
            ))}
          </ul>
        </Section>
      )}
      <SecondFactorRule required={team.secondFactorRequired} members={team.members} mayChange={administrator} />
    </>
  );
}

function MemberRow({ of: member, team }: { of: Member; team: TeamBody }) {
  const administrator = useIsAdministrator();
  return (
    <li className={classes.person}>
      <div className={classes.who}>
        <Group gap="xs">
          <Text fw={600} className="breakable">
            <bdi>{member.name}</bdi>
          </Text>
          {member.self && <Status tone="good">You</Status>}
        </Group>
        <Dimmed className="breakable" component="div">
          {member.email} · {factorText(member)} ·{' '}
          {member.lastSeenAt === null ? (
            'not signed in'
          ) : (
            <>
              last seen <Time at={member.lastSeenAt} as="relative" />
            </>
          )}
        </Dimmed>
      </div>
      <Text>{roleName(member.role)}</Text>
      {administrator && <MemberActions of={member} roles={team.roles} />}
    </li>
  );
}

function factorText({ authenticatorApp, passkeys }: Member): string {
  if (authenticatorApp && passkeys > 0) return 'authenticator app and passkey';
  if (authenticatorApp) return 'authenticator app';
  return passkeys > 0 ? 'passkey' : 'no second factor';
}

function InvitationRow({ of: invitation }: { of: TeamBody['invitations'][number] }) {
  const administrator = useIsAdministrator();
  return (
    <li className={classes.person}>
      <div className={classes.who}>
        <Text fw={600} className="breakable">
          <bdi>{invitation.name}</bdi>
        </Text>
        <Dimmed className="breakable" component="div">
          {invitation.email} · invited by <bdi>{invitation.inviter.name}</bdi>{' '}
          <Time at={invitation.createdAt} as="relative" /> ·{' '}
          {invitation.expired ? (
            'the link has expired'
          ) : (
            <>
              open until <Time at={invitation.expiresAt} as="end" />
            </>
          )}
        </Dimmed>
      </div>
      <Text>{roleName(invitation.role)}</Text>
      {administrator && <WithdrawInvitationButton of={invitation} />}
    </li>
  );
}
