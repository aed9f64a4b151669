// Client: gives a grant without a request, to a key whose id the client has from the firm.
import { useSearchParams } from 'wouter';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { mayLeave } from '../../../session/leaving.ts';
import { FindKey, KEY_ID } from './find-key.tsx';
import { ToKey } from './to-key.tsx';

export default function GivePage() {
  const [parameters, setParameters] = useSearchParams();
  const keyId = parameters.get('key') ?? '';
  // Another key starts a new form.
  const findOther = async (key: string) => {
    if (key === keyId || (await mayLeave())) setParameters({ key }, { replace: true });
  };
  return (
    <>
      <PageHeader
        title="Give access"
        back={{ to: '/connected', label: 'Connected apps' }}
        lead="The firm tells you the id of its key, and you decide what it sees. Until then it can read nothing."
      />
      <FindKey keyId={keyId} onFind={(key) => void findOther(key)} />
      {KEY_ID.test(keyId) && (
        <ToKey
          keyId={keyId}
          missing="There is no key with this id, or it can no longer be used. Ask the firm to send it again."
        />
      )}
    </>
  );
}
