// Account: sign-in methods, sessions, identities and appearance.
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { PageHeader } from '../../components/page/page-header.tsx';
import { Section } from '../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../components/page/states.tsx';
import { useAccount } from '../../session/account.ts';
import { useViewer } from '../../session/viewer.ts';
import classes from './account.module.css';
import { Appearance } from './appearance.tsx';
import { ChangePassword } from './change-password.tsx';
import { Identities } from './identities.tsx';
import { PasskeysSection } from './passkeys-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionList } from './session-list.tsx';

export default function AccountPage() {
  const reading = useAccount();
  return (
    <>
      <PageHeader title="Account" lead={reading.data?.email} />
      <Reading of={reading} skeleton={<BlockSkeleton lines={10} />}>
        {(account) => (
          <div className={classes.page}>
            {account.identities.length > 1 && <Identities account={account} />}
            {account.has_password && (
              <Section title="Password" lead="Changing it signs you out everywhere else.">
                <ChangePassword email={account.email} />
              </Section>
            )}
            {account.has_password && <SecondFactorSection on={account.second_factor} />}
            {account.has_password && <PasskeysSection of={account.passkeys} />}
            <SessionList />
            <Section title="Notifications" lead="What Portico tells you by mail.">
              <Button component={Link} href="/account/notifications" variant="default">
                Choose notifications
              </Button>
            </Section>
            <PersonalData />
            <Appearance />
          </div>
        )}
      </Reading>
    </>
  );
}

/** For clients only: data held on members are their firm's responsibility. */
function PersonalData() {
  const { role } = useViewer();
  if (role !== 'client') return null;
  return (
    <Section
      title="Your data"
      lead="One file with your portfolio, the access that you gave and its receipts, who read what, and this account. Its first line lists what is left out."
    >
      <Button component="a" href="/portal/personal-data.ndjson" download variant="default">
        Download all data about you
      </Button>
    </Section>
  );
}
