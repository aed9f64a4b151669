// Firm: all details of a call, in a dialog.
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { remedyOf } from '#core/remedies.ts';
import { Dimmed } from '../../../components/dimmed.tsx';
import { decimalText } from '../../../components/numbers.tsx';
import { type Fact, Facts } from '../../../components/page/section.tsx';
import { Time } from '../../../components/time.tsx';
import type { CallsQuery } from '../../../generated/operations.ts';
import { KeyEnd } from '../keys/key-end.tsx';
import classes from './activity.module.css';
import { calledPath } from './endpoint-label.ts';
import { statusText } from './status-text.ts';

export type CallRow = CallsQuery['body']['nodes'][number];

export function CallDetails({ call }: { call: CallRow }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="subtle" size="compact-sm" className={classes.details} onClick={() => setOpened(true)}>
        Details
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Call" size="lg">
        {opened && <Details call={call} />}
      </Modal>
    </>
  );
}

function Details({ call }: { call: CallRow }) {
  const { endpoint, registryId, path, clientId, status, errorCode, errorMessage, param, version, tookMs } = call;
  const remedy = errorCode === null ? '' : remedyOf(errorCode);
  const facts: Fact[] = [
    ['When', <Time key="at" at={call.at} as="exact" />],
    ['Call', <Code key="call" text={calledPath(endpoint, registryId, path)} />],
    ['Client named', clientId === null ? 'None' : <Code key="client" text={clientId} />],
    [
      'Key',
      <span key="key">
        <bdi>{call.keyName}</bdi> <KeyEnd of={call.keyId} />, {call.environment}
      </span>,
    ],
    ['Answer', statusText(status)],
    ['Error', errorCode && <Code key="code" text={errorCode} />],
    ['Message', errorMessage],
    ['At fault', param && <Code key="param" text={param} />],
    ['What to do', remedy || null],
    ['Version', version ?? 'None, unknown, or not recorded'],
    ['Took', tookMs === null ? NOT_RECORDED : `${decimalText(tookMs)} ms at the gateway`],
    ['Address', call.address ?? NOT_RECORDED],
    ['Program', call.userAgent ?? 'None, or not recorded'],
    ['Request id', <Code key="id" text={call.requestId} />],
  ];
  return (
    <>
      <Facts of={facts} rows />
      {status === 403 && errorCode === 'no_active_grant' && (
        <Dimmed mt="md">This does not show whether there is a client with this id.</Dimmed>
      )}
    </>
  );
}

const NOT_RECORDED = 'Not yet recorded when the call was made';

const Code = ({ text }: { text: string }) => <span className={classes.code}>{text}</span>;
