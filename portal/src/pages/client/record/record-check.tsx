// Record: a button that verifies the record against the log, and the result.
import { Box, Button, List } from '@mantine/core';
import { IconDownload, IconShieldCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { ActionButton } from '../../../components/action-button.tsx';
import { countOf, countText } from '../../../components/numbers.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { Time } from '../../../components/time.tsx';
import type { Check, ShownCall } from './check-record.ts';

/** A check of the calls on the page. */
export function useRecordCheck(subject: string) {
  return useMutation({
    mutationFn: async (shown: readonly ShownCall[]) => (await import('./check-record.ts')).checkRecord(subject, shown),
    retry: false,
  });
}

interface CheckProps {
  of: ReturnType<typeof useRecordCheck>;
  /** The calls on the page; null while none are loaded. */
  calls: readonly ShownCall[] | null;
}

export const CheckButton = ({ of: { mutate, isPending }, calls }: CheckProps) => (
  <ActionButton
    variant="default"
    busy={isPending}
    disabled={calls === null}
    leftSection={<IconShieldCheck size={16} aria-hidden />}
    onClick={() => calls !== null && mutate(calls)}
  >
    Check this record
  </ActionButton>
);

/** The result is not shown once the page has other calls than those that were checked. */
export function CheckResult({ of: check, calls }: CheckProps) {
  const { data, isError } = check.variables === calls ? check : { data: undefined, isError: false };
  return (
    <Box role="status" mb={isError || data !== undefined ? 'lg' : 0}>
      {isError && (
        <Notice tone="warn" title="This record could not be checked">
          The log could not be loaded, or this browser cannot check signatures. Try again, or download the proof and
          have it checked elsewhere. <ProofLink />
        </Notice>
      )}
      {data !== undefined && (data.faults.length === 0 ? <ValidRecord of={data} /> : <InvalidRecord of={data} />)}
    </Box>
  );
}

function ValidRecord({ of: { proven, waiting, size, from, partly, comparedWith } }: { of: Check }) {
  return (
    <Notice tone="info" icon={IconShieldCheck} title="This record matches the log">
      {proven === 0
        ? 'Nothing about you is in the log yet.'
        : `${countOf(proven, 'entry is', 'entries are')} in the log as recorded, and none is missing${from > 1 ? ` from entry ${countText(from)} on` : ''}.`}{' '}
      {from > 1 && !partly && 'Earlier calls were not sent: they are past their retention, or were left out. '}
      {partly && 'These are the newest: download the proof to have all of them checked. '}
      {waiting > 0 &&
        `${countOf(waiting, 'is', 'are')} not in the log: recorded a moment ago, or before there was a log. `}
      {comparedWith !== null && (
        <>
          The log still begins as this browser saw it <Time at={comparedWith} />.{' '}
        </>
      )}
      This browser has checked it, against a log of {countText(size)} entries. A call that was never recorded is in no
      log. <ProofLink />
    </Notice>
  );
}

const MAX_LISTED = 10;

const InvalidRecord = ({ of: { faults } }: { of: Check }) => (
  <Notice tone="bad" title="This record does not match the log">
    What this page shows differs from the log. Keep the proof, and ask the operator of this service.
    <List size="sm" my="xs">
      {faults.slice(0, MAX_LISTED).map((fault) => (
        <List.Item key={fault}>{fault}</List.Item>
      ))}
    </List>
    {faults.length > MAX_LISTED && `And ${countText(faults.length - MAX_LISTED)} more. `}
    <ProofLink />
  </Notice>
);

const ProofLink = () => (
  <Button
    component="a"
    href="/portal/ledger.ndjson"
    download
    variant="subtle"
    size="compact-sm"
    leftSection={<IconDownload size={14} aria-hidden />}
  >
    Download proof
  </Button>
);
