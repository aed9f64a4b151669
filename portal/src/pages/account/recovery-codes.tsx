// Account: the recovery codes, which are shown only once.
import { Button, Group, Stack } from '@mantine/core';
import { IconLifebuoy } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy.tsx';
import { Notice } from '../../components/page/notice.tsx';
import { type Guard, useLeaveGuard } from '../../session/leaving.ts';
import classes from './account.module.css';

const UNSAVED_CODES: Guard = {
  title: 'Leave without the recovery codes?',
  text: 'They are shown only now. Without them you cannot sign in if you do not have your phone.',
  leave: 'Leave without them',
  irreplaceable: true,
};

export function RecoveryCodes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  useLeaveGuard(UNSAVED_CODES);
  return (
    <Stack mt="lg" maw="34rem">
      <Notice tone="warn" icon={IconLifebuoy} title="Keep your recovery codes">
        Each works once if you do not have your phone. They are shown only now; keep them where you keep your password.
      </Notice>
      <ul className={classes.codes} aria-label="Recovery codes" tabIndex={-1}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="sm">
        <CopyButton value={codes.join('\n')} label="recovery codes">
          Copy all
        </CopyButton>
        <Button onClick={onSaved}>I have saved them</Button>
      </Group>
    </Stack>
  );
}
