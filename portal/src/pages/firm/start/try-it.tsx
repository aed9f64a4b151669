// Firm: makes the first call from this page, with the same address and key as the one to paste.
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { outcomeOf } from '#core/outcome.ts';
import { remedyOf } from '#core/remedies.ts';
import { ActionButton } from '../../../components/action-button.tsx';
import { CopyBlock, CopyText } from '../../../components/copy.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { Outcome } from '../../../components/status.tsx';
import { MAX_WAIT_MS } from '../../../graphql/exchange.ts';
import classes from '../sandbox/sandbox.module.css';

/** Number of items shown of a list. */
const SHOWN = 2;

interface Answer {
  status: number;
  requestId: string | null;
  body: unknown;
}

interface TryItProps {
  version: string;
  secret: string;
  clientId: string;
}

async function ask({ version, secret, clientId }: TryItProps): Promise<Answer> {
  // Keys do not belong in browsers. This is a sandbox key, which this page shows anyway, and the call goes to the
  // page's own origin.
  const response = await fetch(`/api/v1/assets?client_id=${encodeURIComponent(clientId)}`, {
    headers: { Authorization: `Bearer ${secret}`, 'X-Service-Version': version },
    credentials: 'omit',
    cache: 'no-store',
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  return { status: response.status, requestId: response.headers.get('x-request-id'), body: await response.json() };
}

export function TryIt(props: TryItProps) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle');
  const run = () => {
    setState('asking');
    ask(props).then(
      (found) => {
        setAnswer(found);
        setState('idle');
      },
      () => setState('failed'),
    );
  };
  return (
    <Stack gap="md" mt="md">
      <div>
        <ActionButton onClick={run} busy={state === 'asking'}>
          Try it
        </ActionButton>
      </div>
      <div role="status">
        {state === 'failed' && (
          <Notice tone="warn" title="No response">
            The API does not answer at the address of this page. Paste the request above into a terminal.
          </Notice>
        )}
        {state !== 'failed' && answer !== null && <AnswerOf of={answer} />}
      </div>
    </Stack>
  );
}

function AnswerOf({ of: { status, requestId, body } }: { of: Answer }) {
  const { text, more } = shorten(body);
  const code = (body as { error?: { code?: string } }).error?.code ?? '';
  return (
    <Stack gap="sm">
      <Text size="sm" component="div">
        <Outcome outcome={outcomeOf(status)} /> {status}
        {requestId !== null && (
          <>
            , request <CopyText value={requestId} label="request id" />
          </>
        )}
      </Text>
      {code !== '' && <Text size="sm">{remedyOf(code)}</Text>}
      <div className={classes.answer}>
        <CopyBlock value={text} label="answer" />
      </div>
      {more > 0 && (
        <Dimmed>
          {SHOWN} items are shown here; the answer has {more} more.
        </Dimmed>
      )}
    </Stack>
  );
}

/** The body as readable JSON, without the further items. */
function shorten(body: unknown): { text: string; more: number } {
  const { data } = body as { data?: unknown };
  const more = Array.isArray(data) ? Math.max(0, data.length - SHOWN) : 0;
  const shown = more > 0 ? { ...(body as object), data: (data as unknown[]).slice(0, SHOWN) } : body;
  return { text: JSON.stringify(shown, null, 2), more };
}
