// Firm: a key for first calls: an existing one, with the secret that was stored, or a new one.
import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { SCOPES } from '#core/scopes.ts';
import { ActionButton } from '../../../components/action-button.tsx';
import { CopyButton } from '../../../components/copy.tsx';
import { withNames } from '../../../components/names.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { PasswordField } from '../../../components/password-field.tsx';
import { CreateKey } from '../../../generated/operations.ts';
import { newId } from '../../../graphql/new-id.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { useLeaveGuard } from '../../../session/leaving.ts';
import { PlanNotice, usePlanActive } from '../plan-notice.tsx';
import { type Issued, UNSAVED_SECRET } from './issued.ts';
import type { KeyRow } from './key-columns.tsx';
import { keyLabel } from './key-label.ts';
import { createdWithoutSecret } from './lost-secret.ts';

interface SandboxKeyProps {
  keys: readonly KeyRow[];
  of: KeyRow | undefined;
  onChoose: (id: string) => void;
  issued: Issued | null;
  onIssued: (issued: Issued) => void;
  /** The secret as entered, which stays on the page. */
  secret: string;
  onSecret: (secret: string) => void;
}

export function SandboxKey({ keys, of: key, onChoose, issued, onIssued, secret, onSecret }: SandboxKeyProps) {
  if (issued !== null) return <FreshKey of={issued} />;
  if (key === undefined)
    return (
      <>
        <p>There is none yet. Its secret is shown once, here, when you create it.</p>
        <CreateSandboxKey onIssued={onIssued} />
      </>
    );
  return (
    <Stack maw="28rem">
      <NativeSelect
        label="Key"
        value={key.id}
        onChange={(event) => onChoose(event.currentTarget.value)}
        data={keys.map((one) => ({ value: one.id, label: keyLabel(one) }))}
      />
      <PasswordField
        label="Its secret"
        named="secret"
        description="The secret that you saved when the key was created. It stays on this page and fills in the request below."
        placeholder={`${key.prefix}…${key.lastFour}`}
        autoComplete="off"
        data-1p-ignore
        value={secret}
        onChange={(event) => onSecret(event.currentTarget.value)}
      />
      <div>
        <CreateSandboxKey onIssued={onIssued} />
      </div>
    </Stack>
  );
}

function FreshKey({ of: { secret, key } }: { of: Issued }) {
  const [saved, setSaved] = useState(false);
  useLeaveGuard(saved ? null : UNSAVED_SECRET);
  if (saved)
    return (
      <p>
        “<bdi>{key.name}</bdi>” is ready, and its secret is filled in below until you leave this page.
      </p>
    );
  return (
    <Stack maw="40rem">
      <Notice tone="warn" icon={IconEyeOff} title={withNames`“${key.name}” is ready. Copy its secret now`}>
        It is filled in below, shown only now and not stored: when you leave this page it is gone.
      </Notice>
      <Group>
        <CopyButton value={secret} label="secret">
          Copy secret
        </CopyButton>
        <Button onClick={() => setSaved(true)}>I have saved the secret</Button>
      </Group>
    </Stack>
  );
}

function CreateSandboxKey({ onIssued }: { onIssued: (issued: Issued) => void }) {
  const create = useAction(CreateKey, { lookUp: createdWithoutSecret, onDone: onIssued });
  const planActive = usePlanActive();
  if (!planActive) return <PlanNotice />;
  const wanted = { name: 'First calls', environment: 'sandbox', scopes: [...SCOPES] };
  return (
    <>
      <ActionButton
        variant="default"
        busy={create.isPending}
        onClick={() => create.start({ ...wanted, id: newId('key') })}
      >
        Create a sandbox key
      </ActionButton>
      <ActionFault of={create} />
    </>
  );
}
