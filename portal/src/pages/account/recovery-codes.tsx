// Account: the recovery codes, shown this once.
import { Button, Group, Stack } from '@mantine/core';
import { IconLifebuoy } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy.tsx';
import { Notice } from '../../components/page/notice.tsx';
import classes from './account.module.css';

export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  return (
    <Stack mt="lg" maw="34rem">
      <Notice tone="warn" icon={IconLifebuoy} title="Keep your recovery codes">
        Each lets you in once when your phone is not at hand. They are shown this once; keep them where you keep your
        password.
      </Notice>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="sm">
        <CopyButton value={codes.join('\n')} label="recovery codes">
          Copy all
        </CopyButton>
        <Button onClick={onKept}>I have kept them</Button>
      </Group>
    </Stack>
  );
}
