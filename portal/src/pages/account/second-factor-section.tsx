// Account: the second factor: off, being set up, or on.
import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dimmed } from '../../components/dimmed.tsx';
import { useFocusInPlace } from '../../components/focus.ts';
import { Section } from '../../components/page/section.tsx';
import { Status } from '../../components/status.tsx';
import { ACCOUNT } from '../../session/account.ts';
import { beginSecondFactor, endSecondFactor, newRecoveryCodes, type SetUp } from '../../session/credentials.ts';
import { PasswordQuestion } from './password-question.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SecondFactorSetUp } from './second-factor-set-up.tsx';

type Dialog = 'begin' | 'end' | 'codes' | null;

const QUESTIONS = {
  begin: { title: 'Turn on the second factor', confirm: 'Continue', destructive: false },
  end: { title: 'Turn off the second factor?', confirm: 'Turn off', destructive: true },
  codes: { title: 'Make new recovery codes?', confirm: 'Make new codes', destructive: false },
} as const;

export function SecondFactorSection({ on }: { on: boolean }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const [setUp, setSetUp] = useState<SetUp | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const place = useFocusInPlace(setUp !== null ? 'set-up' : codes !== null ? 'codes' : null);
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ACCOUNT });
  const answer = async (password: string) => {
    if (dialog === 'begin') setSetUp(await beginSecondFactor(password));
    if (dialog === 'codes') setCodes(await newRecoveryCodes(password));
    if (dialog === 'end') {
      await endSecondFactor(password);
      setCodes(null);
      notifications.show({ message: 'The second factor is off.' });
      await refresh();
    }
    setDialog(null);
  };
  const finish = (issued: string[]) => {
    setSetUp(null);
    setCodes(issued);
    void refresh();
  };
  const saved = () => {
    setCodes(null);
    // The session may have ended while the codes kept the page.
    void refresh();
  };
  return (
    <Section
      title="Second factor"
      lead="A code from an authenticator app, asked for after the password. Somebody who learns your password still cannot sign in."
    >
      <div ref={place}>
        {setUp !== null ? (
          <SecondFactorSetUp setUp={setUp} onDone={() => finish(setUp.backupCodes)} onCancel={() => setSetUp(null)} />
        ) : (
          <Group gap="md">
            <Status tone={on ? 'good' : 'calm'}>{on ? 'On' : 'Off'}</Status>
            {on && (
              <Button variant="default" onClick={() => setDialog('codes')} data-opens="codes">
                New recovery codes
              </Button>
            )}
            {/* One button, which keeps the focus when it has turned the factor off. */}
            <Button variant="default" onClick={() => setDialog(on ? 'end' : 'begin')} data-opens="set-up">
              {on ? 'Turn off' : 'Turn on'}
            </Button>
          </Group>
        )}
        {codes !== null && <RecoveryCodes codes={codes} onSaved={saved} />}
      </div>
      {dialog !== null && (
        <PasswordQuestion {...QUESTIONS[dialog]} onAnswer={answer} onClose={() => setDialog(null)}>
          <Dimmed>{dialog === 'codes' ? 'The earlier ones stop working. ' : ''}Enter your password to continue.</Dimmed>
        </PasswordQuestion>
      )}
    </Section>
  );
}
