// Client: the page of a firm's link: the firm's details, and the access that it suggests.

import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import { DAY_MS } from '#core/timestamps.ts';
import { Notice } from '../../../components/page/notice.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { forgetConnectPath } from '../../../session/return-path.ts';
import { useViewer } from '../../../session/viewer.ts';
import { type Suggestion, ToKey } from './to-key.tsx';

const MAX_DAYS = 3_650;

export default function ConnectPage() {
  const { key = '' } = useParams();
  const [parameters] = useSearchParams();
  const { role } = useViewer();
  useEffect(forgetConnectPath, []);
  if (role !== 'client')
    return (
      <>
        <PageHeader title="A link for clients" />
        <Notice tone="info">
          It leads clients to a firm’s key. You are signed in as somebody else; sign in as a client to see what they
          see.
        </Notice>
        <Button component={Link} href="/" variant="default" mt="lg">
          Go to your pages
        </Button>
      </>
    );
  return (
    <>
      <PageHeader
        title="Connect a firm"
        back={{ to: '/connected', label: 'Connected apps' }}
        lead="A firm gave you its link. See who it is, then decide what it sees. Until then it can read nothing, and it is not told that you looked."
      />
      <ToKey
        keyId={key}
        suggestion={suggestionOf(parameters)}
        missing="This link does not lead to a key that you can give access to. Ask the firm for a new one."
      />
    </>
  );
}

/** The scopes and the end suggested by the link, as far as a client could choose them. */
function suggestionOf(parameters: URLSearchParams): Suggestion {
  const days = Number(parameters.get('days') ?? '');
  const within = Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;
  return {
    scopes: parameters.get('scopes')?.split(',') ?? [],
    expiresAt: within ? new Date(Date.now() + days * DAY_MS).toISOString() : null,
  };
}
