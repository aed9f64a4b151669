// Entry: a second factor is required of the signed-in person, and the session began without one.
import { Button, Group } from '@mantine/core';
import { ActionButton } from '../../components/action-button.tsx';
import { Notice } from '../../components/page/notice.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { BlockSkeleton, Failure, Reading } from '../../components/page/states.tsx';
import { useAccount } from '../../session/account.ts';
import { goOnAs, identityText } from '../../session/act-as.ts';
import { useAuthAction } from '../../session/auth-action.ts';
import { dropGuards, mayLeave } from '../../session/leaving.ts';
import { canHavePasskeys, signInWithPasskey } from '../../session/passkeys.ts';
import { signOut } from '../../session/sign-in.ts';
import { notifyTabs, useOtherTabs } from '../../session/tabs.ts';
import { useSignOut } from '../../session/use-sign-out.ts';
import { Brand } from '../../shell/brand.tsx';
import { PasskeysSection } from '../account/passkeys-section.tsx';
import { SecondFactorSection } from '../account/second-factor-section.tsx';
import classes from './entry.module.css';

export default function FactorNeeded({ onDone }: { onDone: () => void }) {
  const reading = useAccount();
  // It may have been set up there.
  useOtherTabs(reading.refetch);
  const { busy, error, run } = useAuthAction();
  const goOn = async () => {
    notifyTabs();
    if (!(await mayLeave())) return;
    dropGuards();
    onDone();
  };
  const leave = useSignOut(run, signOut);
  return (
    <main className={classes.needed}>
      <Brand />
      <PageHeader
        title="A second factor is required"
        lead="Your firm or this installation requires more than a password. Set one up here to continue."
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={8} />}>
        {(account) => (
          <div>
            {!account.second_factor_missing && (
              <Notice tone="info" title="Your second factor is set up">
                <Button mt="sm" onClick={() => void goOn()}>
                  Continue
                </Button>
              </Notice>
            )}
            {account.second_factor_missing && account.passkeys.length > 0 && canHavePasskeys() && (
              <Notice tone="info" title="You have a passkey">
                <ActionButton
                  mt="sm"
                  busy={busy}
                  onClick={() =>
                    void run(async () => {
                      await signInWithPasskey();
                      await goOn();
                    })
                  }
                >
                  Use a passkey
                </ActionButton>
              </Notice>
            )}
            {error !== null && <Failure error={error} />}
            <SecondFactorSection on={account.second_factor} />
            <PasskeysSection of={account.passkeys} />
            <Group mt="xl">
              {account.identities
                .filter(({ user_id }) => user_id !== account.acting_as)
                .map((identity) => (
                  <Button key={identity.user_id} variant="default" onClick={() => void goOnAs(identity.user_id)}>
                    Continue as {identityText(identity)}
                  </Button>
                ))}
              <Button variant="default" onClick={() => void leave()}>
                Sign out
              </Button>
            </Group>
          </div>
        )}
      </Reading>
    </main>
  );
}
