// Firm: a key: its settings, use and events; rotation and revocation.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useFocusInPlace, useTitleOnChange } from '../../../components/focus.ts';
import { ScopeList } from '../../../components/grants/scopes.tsx';
import { withNames } from '../../../components/names.ts';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Facts, Figures, Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { EnvironmentTag, KeyStatus } from '../../../components/status.tsx';
import { FirmKey, type FirmKeyQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useStoredDraft } from '../../../session/drafts.ts';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { usePlanActive } from '../plan-notice.tsx';
import { CHANGE_DRAFT, ChangeKeyForm } from './change-key.tsx';
import { type Issued, useIssued } from './issued.ts';
import { KeyEvents } from './key-events.tsx';
import { factsOf, figuresOf, KeyStatusLine } from './key-facts.tsx';
import { KeyUseSection } from './key-use.tsx';
import { RevokeKeyButton } from './revoke-key.tsx';
import { RotateKeyDialog } from './rotate-key.tsx';
import { SecretOnce } from './secret-once.tsx';

type KeyBody = FirmKeyQuery['body'];

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
  useTitleOnChange(issued);
  if (issued !== null)
    return (
      <>
        <PageHeader
          title={`The new secret of “${issued.key.name}”`}
          shown={withNames`The new secret of “${issued.key.name}”`}
          lead="The new key has the same settings and grants. Put its secret where the old one is used."
        />
        <SecretOnce secret={issued.secret} next={`/keys/${issued.key.id}`} />
      </>
    );
  return (
    <>
      <PageHeader
        title={key.name}
        shown={<bdi>{key.name}</bdi>}
        back={BACK}
        aside={
          <>
            <KeyStatus status={key.status} />
            <EnvironmentTag environment={key.environment} />
          </>
        }
        lead={<KeyStatusLine of={key} />}
        actions={<Actions of={key} onIssued={setIssued} />}
      />
      <Figures of={figuresOf(key)} />
      <Settings of={key} />
      <Section title="Scopes" lead="What the key can read at most; each client grants all or less of it.">
        <ScopeList scopes={key.scopes} />
      </Section>
      <KeyUseSection keyId={key.id} />
      <Section title="History">
        <KeyEvents events={key.events} keyId={key.id} />
      </Section>
    </>
  );
}

function Settings({ of: key }: { of: KeyBody }) {
  const [changing, change] = useState(useStoredDraft(CHANGE_DRAFT) !== null);
  const mayChange = useIsDeveloper();
  const place = useFocusInPlace(changing ? 'settings' : null);
  return (
    <div ref={place}>
      {changing && mayChange ? (
        <Section title="Change settings" lead="Changes take effect at once, for every further call.">
          <ChangeKeyForm of={key} onDone={() => change(false)} />
        </Section>
      ) : (
        <Section
          title="Settings"
          actions={
            mayChange && (
              <Button variant="default" onClick={() => change(true)} data-opens="settings">
                Change settings
              </Button>
            )
          }
        >
          <Facts of={factsOf(key)} />
        </Section>
      )}
    </div>
  );
}

function Actions({ of: key, onIssued }: { of: KeyBody; onIssued: (issued: Issued) => void }) {
  const [rotating, rotate] = useDisclosure();
  const planActive = usePlanActive();
  const mayChange = useIsDeveloper();
  if (!key.usable || !mayChange) return null;
  return (
    <>
      {key.status === 'active' && (
        <Button variant="default" component={Link} href={`/keys/${key.id}/link`}>
          Link for clients
        </Button>
      )}
      {key.status === 'active' && planActive && (
        <Button variant="default" onClick={rotate.open}>
          Rotate
        </Button>
      )}
      <RevokeKeyButton of={key} />
      <RotateKeyDialog of={key} opened={rotating} onClose={rotate.close} onIssued={onIssued} />
    </>
  );
}
