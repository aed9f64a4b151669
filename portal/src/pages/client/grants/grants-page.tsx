// Client: all firms and keys with access, and requests for access.
import { Button } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Section } from '../../../components/page/section.tsx';
import { Empty, Reading } from '../../../components/page/states.tsx';
import { GrantCounts, type GrantCountsQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { EndedGrants } from './ended-grants.tsx';
import { ActiveGrants } from './grant-list.tsx';
import { Requests } from './requests.tsx';

export default function ConnectedPage() {
  const counts = useRead(GrantCounts, {}, { every: 60_000 });
  return (
    <>
      <PageHeader
        title="Connected apps"
        lead="Firms read your portfolio with keys. Here you decide which key sees what, of which items, and until when. Changes take effect at once."
        actions={
          <Button
            component={Link}
            href="/connected/new"
            variant="default"
            leftSection={<IconPlus size={17} aria-hidden />}
          >
            Give access
          </Button>
        }
      />
      <Reading of={counts}>{(body) => <Lists counts={body} />}</Reading>
    </>
  );
}

function Lists({ counts }: { counts: GrantCountsQuery['body'] }) {
  if (counts.active + counts.pending + counts.ended === 0)
    return (
      <Empty icon={IconPlugConnected} title="Nobody sees your portfolio">
        When a firm asks for access, its request appears here and you decide. You can also open the link that a firm
        gave you, or give access to a key whose id it told you.
      </Empty>
    );
  return (
    <>
      {counts.pending > 0 && (
        <Section title="Waiting for your answer">
          <Requests />
        </Section>
      )}
      <Section title="With access">
        {counts.active > 0 ? (
          <ActiveGrants total={counts.active} />
        ) : (
          <Empty icon={IconPlugConnected} title="Nobody has access now">
            Access that you approve or give appears here.
          </Empty>
        )}
      </Section>
      {counts.ended > 0 && <EndedGrants total={counts.ended} />}
    </>
  );
}
