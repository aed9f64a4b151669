// Shell: the present identity, the other ones, and signing out.
import { Avatar, Menu, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconLogout, IconSelector, IconSettings } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useAccount } from '../session/account.ts';
import { goOnAs, identityText } from '../session/act-as.ts';
import { notifyOnRefusal } from '../session/notify-on-refusal.ts';
import { signOut } from '../session/sign-in.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { useViewer } from '../session/viewer.ts';
import classes from './account-menu.module.css';

export function AccountMenu() {
  const viewer = useViewer();
  return (
    <div className={classes.account}>
      <Menu width={288} position="top-start" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <UnstyledButton className={classes.button}>
            <VisuallyHidden>Account: </VisuallyHidden>
            <Avatar size={34} radius="xl" color="pine" name={viewer.name} aria-hidden />
            <span className={classes.words}>
              <span className={classes.name} dir="auto">
                {viewer.name}
              </span>
              <span className={classes.role} dir="auto">
                {identityText(viewer)}
              </span>
            </span>
            <IconSelector size={16} className={classes.selector} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Identities />
          <Menu.Item component={Link} href="/account" leftSection={<IconSettings size={16} aria-hidden />}>
            Account settings
          </Menu.Item>
          <SignOut />
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

function Identities() {
  const { data: account } = useAccount();
  if (account === undefined || account.identities.length < 2) return null;
  return (
    <>
      <Menu.Label>Act as</Menu.Label>
      {account.identities.map((identity) => (
        <Menu.Item
          key={identity.user_id}
          onClick={() => void goOnAs(identity.user_id)}
          aria-current={identity.user_id === account.acting_as || undefined}
          rightSection={identity.user_id === account.acting_as ? <IconCheck size={16} aria-label="now" /> : null}
        >
          {identityText(identity)}
          <span className={classes.detail} dir="auto">
            {identity.name}
          </span>
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  );
}

function SignOut() {
  const leave = useSignOut(notifyOnRefusal, signOut);
  return (
    <Menu.Item onClick={() => void leave()} leftSection={<IconLogout size={16} aria-hidden />}>
      Sign out
    </Menu.Item>
  );
}
