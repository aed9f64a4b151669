// Firm: administrators' actions on a member: change the role, reset the second factor, remove.
import { Button, Menu, Text, TextInput } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { MAX_REASON } from '#core/text-lengths.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { useFocusBack, useTitleAfterLeaving } from '../../../components/focus.ts';
import { plain, withNames } from '../../../components/names.ts';
import {
  RemoveMember,
  ResetMemberFactors,
  SetMemberRole,
  Team,
  type TeamQuery,
} from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { roleName } from '../../../session/firm-role.ts';
import { RoleChoice } from './role-choice.tsx';

type Member = TeamQuery['body']['members'][number];
type Dialog = 'role' | 'factor' | 'remove' | null;

interface MemberActionsProps {
  of: Member;
  roles: TeamQuery['body']['roles'];
}

export function MemberActions({ of: member, roles }: MemberActionsProps) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const { ref, leaving } = useTitleAfterLeaving();
  const close = () => setDialog(null);
  useFocusBack(dialog !== null, ref);
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button
            ref={ref}
            variant="default"
            rightSection={<IconChevronDown size={15} aria-hidden />}
            aria-label={`Change ${member.name}`}
          >
            Change
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('role')}>Change role</Menu.Item>
          {!member.self && (member.authenticatorApp || member.passkeys > 0) && (
            <Menu.Item onClick={() => setDialog('factor')}>Reset second factor</Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => setDialog('remove')}>
            {member.self ? 'Leave the firm' : 'Remove member'}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'role' && <ChangeRole of={member} roles={roles} onClose={close} />}
      {dialog === 'factor' && <ResetFactor of={member} onClose={close} />}
      {dialog === 'remove' && <Remove of={member} onClose={close} onRemoved={leaving} />}
    </>
  );
}

function ChangeRole({ of: member, roles, onClose }: MemberActionsProps & { onClose: () => void }) {
  const [role, setRole] = useState(member.role);
  const action = useAction(SetMemberRole, {
    lookUp: async (wanted) => {
      const team = await call(Team, {});
      return team.members.some(({ id, role: now }) => id === wanted.id && now === wanted.role) ? team : null;
    },
    done: () => withNames`${member.name} is ${plain(roleName(role).toLowerCase())} from now on.`,
    onDone: onClose,
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={withNames`Change the role of ${member.name}`}
      confirm="Change role"
      destructive={false}
      onConfirm={() => action.start({ id: member.id, role })}
      action={action}
    >
      <RoleChoice roles={roles} value={role} onChange={setRole} />
    </Confirm>
  );
}

function ResetFactor({ of: member, onClose }: { of: Member; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const action = useAction(ResetMemberFactors, {
    lookUp: async ({ id }) => {
      const team = await call(Team, {});
      const now = team.members.find((one) => one.id === id);
      return now !== undefined && !now.authenticatorApp && now.passkeys === 0 ? team : null;
    },
    done: () => withNames`The second factor of ${member.name} is reset. They are signed out everywhere.`,
    onDone: onClose,
  });
  const confirm = () => {
    if (reason.trim() === '') setMissing(true);
    else action.start({ id: member.id, reason });
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={withNames`Reset the second factor of ${member.name}?`}
      confirm="Reset second factor"
      onConfirm={confirm}
      action={action}
    >
      <Text size="sm" mb="md">
        For a member who has lost it. Authenticator app, recovery codes and passkeys are removed, all sessions end, and
        the password alone is enough to sign in. Make sure that it is really <bdi>{member.name}</bdi> who asks. They are
        told by mail.
      </Text>
      <TextInput
        label="Reason"
        description="Shown in the audit record."
        maxLength={MAX_REASON}
        value={reason}
        onChange={({ currentTarget }) => {
          setReason(currentTarget.value);
          setMissing(false);
        }}
        error={missing ? 'Say why, and how you verified who is asking.' : null}
      />
    </Confirm>
  );
}

interface RemoveProps {
  of: Member;
  onClose: () => void;
  onRemoved: () => void;
}

function Remove({ of: member, onClose, onRemoved }: RemoveProps) {
  const action = useAction(RemoveMember, {
    lookUp: async ({ id }) => ((await call(Team, {})).members.some((one) => one.id === id) ? null : true),
    onDone: () => {
      onRemoved();
      onClose();
    },
    done: () => withNames`${member.name} is no longer a member.`,
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={member.self ? 'Leave the firm?' : withNames`Remove ${member.name}?`}
      confirm={member.self ? 'Leave the firm' : 'Remove member'}
      onConfirm={() => action.start({ id: member.id })}
      action={action}
    >
      <Text size="sm">
        {member.self ? 'You are' : 'They are'} signed out at once, everywhere, and can come back only by a new
        invitation. Keys keep working, and members who have seen a secret still know it, so rotate the keys that{' '}
        {member.self ? 'you' : 'they'} handled.
      </Text>
    </Confirm>
  );
}
