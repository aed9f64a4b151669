// Firm: a secret, shown only once. It exists only in the state of the page that requested it.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { CopyBlock, CopyButton } from '../../../components/copy.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { Section } from '../../../components/page/section.tsx';
import { useLeaveGuard } from '../../../session/leaving.ts';
import { apiBaseUrl, useViewer } from '../../../session/viewer.ts';
import { curlOf } from '../curl.ts';
import { UNSAVED_SECRET } from './issued.ts';
import classes from './secret-once.module.css';

interface SecretOnceProps {
  secret: string;
  /** The next page, once the secret is stored. */
  next: string;
}

export function SecretOnce({ secret, next }: SecretOnceProps) {
  const viewer = useViewer();
  const release = useLeaveGuard(UNSAVED_SECRET);
  return (
    <Stack gap="xl" maw="46rem">
      <Notice tone="warn" icon={IconEyeOff} title="Copy the secret now">
        It is shown only now and not stored: when you leave this page it is gone. Keep it in your secret store, not in
        code or mail.
      </Notice>
      <div>
        <Text size="sm" fw={500} mb={6} id="secret-label">
          Secret
        </Text>
        <output className={classes.secret} aria-labelledby="secret-label" data-testid="secret">
          {secret}
        </output>
        <Group mt="sm">
          <CopyButton value={secret} label="secret">
            Copy secret
          </CopyButton>
        </Group>
      </div>
      <Section title="Try it" lead="Replace usr_… by the id of a client that has granted access to this key.">
        <CopyBlock value={curlOf(apiBaseUrl(viewer), viewer.apiVersion, secret)} label="request" />
      </Section>
      <Group>
        <Button component={Link} href={next} onClick={release}>
          I have saved the secret
        </Button>
      </Group>
    </Stack>
  );
}
