// Firm: one key: what it is, what it does, what happened to it; rotate and revoke.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useParams } from 'wouter';
import { ScopeList } from '../../../components/grants/scopes.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Facts, Figures, Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { EnvironmentTag, KeyStatus } from '../../../components/status.tsx';
import { FirmKey } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { usePlanActive } from '../plan-notice.tsx';
import { type Issued, useIssued } from './issued.ts';
import type { KeyBody } from './key-body.ts';
import { KeyEvents } from './key-events.tsx';
import { factsOf, figuresOf, KeyStanding } from './key-facts.tsx';
import { RevokeKeyDialog } from './revoke-key.tsx';
import { RotateKeyDialog } from './rotate-key.tsx';
import { SecretOnce } from './secret-once.tsx';

const BACK = { to: '/keys', label: 'API keys' };

export default function KeyPage() {
  const { id = '' } = useParams();
  const reading = useRead(FirmKey, { id }, { every: 15_000 });
  return (
    <Reading of={reading} head={<PageHeader title="Key" back={BACK} />} skeleton={<BlockSkeleton lines={8} />}>
      {(key) => <KeyView key={key.id} of={key} />}
    </Reading>
  );
}

function KeyView({ of: key }: { of: KeyBody }) {
  const [issued, setIssued] = useIssued();
  if (issued !== null)
    return (
      <>
        <PageHeader
          title={`The new secret of “${issued.key.name}”`}
          lead="The new key has the same settings and grants. Put its secret where the old one is used."
        />
        <SecretOnce secret={issued.secret} next={`/keys/${issued.key.id}`} />
      </>
    );
  return (
    <>
      <PageHeader
        title={key.name}
        back={BACK}
        aside={
          <>
            <KeyStatus status={key.status} />
            <EnvironmentTag environment={key.environment} />
          </>
        }
        lead={<KeyStanding of={key} />}
        actions={<Actions of={key} onIssued={setIssued} />}
      />
      <Figures of={figuresOf(key)} />
      <Section title="Settings">
        <Facts of={factsOf(key)} />
      </Section>
      <Section title="Scopes" lead="What the key can read at most; each client grants all or less of it.">
        <ScopeList scopes={key.scopes} />
      </Section>
      <Section title="History">
        <KeyEvents events={key.events} keyId={key.id} />
      </Section>
    </>
  );
}

function Actions({ of: key, onIssued }: { of: KeyBody; onIssued: (issued: Issued) => void }) {
  const [rotating, rotate] = useDisclosure();
  const [revoking, revoke] = useDisclosure();
  const planActive = usePlanActive();
  if (!key.usable) return null;
  return (
    <>
      {key.status === 'active' && planActive && (
        <Button variant="default" onClick={rotate.open}>
          Rotate
        </Button>
      )}
      <Button variant="outline" color="red" onClick={revoke.open}>
        Revoke
      </Button>
      <RotateKeyDialog of={key} opened={rotating} onClose={rotate.close} onIssued={onIssued} />
      <RevokeKeyDialog of={key} opened={revoking} onClose={revoke.close} />
    </>
  );
}
