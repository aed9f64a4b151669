// Firm: a link to a key, also as a QR code, for clients whom the firm meets elsewhere. It names only the key; opening
// it is reported to nobody.
import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useParams } from 'wouter';
import { CopyBlock } from '../../../components/copy.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { ScopePicker } from '../../../components/grants/scopes.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { PrintButton } from '../../../components/print/print-button.tsx';
import { QrCode } from '../../../components/qr-code.tsx';
import { saveFile } from '../../../components/save-file.ts';
import { FirmKey, type FirmKeyQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { apiBaseUrl, useViewer } from '../../../session/viewer.ts';
import classes from './link-page.module.css';

export default function LinkPage() {
  const { id = '' } = useParams();
  const reading = useRead(FirmKey, { id });
  const back = { to: `/keys/${id}`, label: 'Key' };
  return (
    <Reading of={reading} head={<PageHeader title="Link for clients" back={back} />} skeleton={<BlockSkeleton />}>
      {(key) => (
        <>
          <PageHeader
            title="Link for clients"
            back={back}
            lead={
              <>
                Clients who open it see who you are, and decide what “<bdi>{key.name}</bdi>” sees. You are told only
                when they give access.
              </>
            }
            actions={key.status === 'active' && <PrintButton />}
          />
          {key.status === 'active' ? (
            <LinkTo of={key} />
          ) : (
            <Notice tone="warn" title="This key is not active">
              Clients cannot give access to this key. Use the link of another one.
            </Notice>
          )}
        </>
      )}
    </Reading>
  );
}

const SPANS = [
  { value: '', label: 'As the client chooses' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
];

function LinkTo({ of: { id, name, scopes, environment } }: { of: FirmKeyQuery['body'] }) {
  const viewer = useViewer();
  const [wanted, setWanted] = useState<readonly string[]>(scopes);
  const [days, setDays] = useState('');
  const code = useRef<HTMLDivElement>(null);
  const suggestion = new URLSearchParams({
    ...(wanted.length === 0 ? {} : { scopes: wanted.join(',') }),
    ...(days === '' ? {} : { days }),
  });
  // Commas are valid in a query, and easier to read.
  const query = suggestion.toString().replaceAll('%2C', ',');
  const link = `${apiBaseUrl(viewer)}/portal/connect/${id}${query === '' ? '' : `?${query}`}`;
  return (
    <>
      <div className={classes.poster}>
        <div ref={code}>
          <QrCode text={link} title="QR code of the link beside it" />
        </div>
        <div className={classes.words}>
          <Text fw={600} className="breakable" dir="auto">
            {viewer.firm?.name}
          </Text>
          <Text size="sm" mb="sm">
            Read the code with your phone’s camera, or open the link. You sign in, see who asks, and decide what is
            seen.
          </Text>
          <CopyBlock value={link} label="link" />
          <Button
            className="off-paper"
            variant="default"
            mt="sm"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => keep(code.current, `${name} link.svg`)}
          >
            Download the code
          </Button>
        </div>
      </div>
      <Dimmed mt="md">
        {environment === 'sandbox'
          ? 'It works for sandbox clients only. '
          : 'It works for production clients only, and keeps working when the key is rotated. '}
        It contains no secret: it can only be used to give you access.
      </Dimmed>
      <div className={`off-paper ${classes.below}`}>
        <Section title="What it suggests" lead="The client sees this filled in, and can choose less or more of it.">
          <Stack gap="xl" maw="42rem">
            <ScopePicker
              label="Scopes"
              value={wanted}
              onChange={setWanted}
              of={scopes}
              otherwise="The key does not have this scope."
            />
            <NativeSelect
              label="For how long"
              value={days}
              onChange={(event) => setDays(event.currentTarget.value)}
              data={SPANS}
              maw="16rem"
            />
          </Stack>
        </Section>
      </div>
    </>
  );
}

/** As a vector image, which printers can enlarge. */
function keep(holder: HTMLElement | null, name: string): void {
  const svg = holder?.querySelector('svg')?.cloneNode(true) as SVGElement | undefined;
  if (svg === undefined) return;
  svg.removeAttribute('class');
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  saveFile(name, 'image/svg+xml', svg.outerHTML);
}
