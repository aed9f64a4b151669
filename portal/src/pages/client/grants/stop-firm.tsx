// Client: ends all access of a firm, for all its keys, after one question.
import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Confirm } from '../../../components/confirm.tsx';
import { useTitleAfterLeaving } from '../../../components/focus.ts';
import { Connections, StopFirm } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useAction } from '../../../graphql/use-action.ts';
import classes from './grants.module.css';
import { notifyOfFirm } from './say-of-firm.tsx';
import { TOUCHED } from './touched.ts';

interface StopFirmProps {
  firmId: string;
  firmName: string;
}

export function StopFirmButton({ firmId, firmName }: StopFirmProps) {
  const [opened, question] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving();
  const stop = useAction(StopFirm, {
    touches: TOUCHED,
    lookUp: async ({ firmId: of }, since) => {
      // Newest first: more than a firm can have requested since.
      const { nodes } = await call(Connections, { status: ['active', 'pending'], firmId: of, first: 100 });
      return nodes.some(({ createdAt }) => Date.parse(createdAt) < since) ? null : 0;
    },
    onDone: () => {
      leaving();
      question.close();
      notifyOfFirm(firmName, 'can no longer see anything, with any of its keys.');
    },
  });
  return (
    <>
      <Button
        ref={ref}
        variant="subtle"
        color="red"
        size="compact-sm"
        ml="-0.5rem"
        onClick={question.open}
        classNames={{ root: classes.stop, label: classes.stopLabel }}
      >
        {/* The label is a flex box. Without the span, its parts would become columns. */}
        <span>
          Stop everything of <bdi>{firmName}</bdi>
        </span>
      </Button>
      <Confirm
        opened={opened}
        onClose={question.close}
        title={
          <>
            Stop everything of <bdi>{firmName}</bdi>?
          </>
        }
        confirm="Stop everything"
        onConfirm={() => stop.start({ firmId })}
        action={stop}
      >
        <Text>From this moment none of its keys can read anything of yours, and its open requests are declined.</Text>
        <Text mt="sm">
          <bdi>{firmName}</bdi> keeps what it has read already: this does not delete it. The access record shows what
          that was; to have it deleted, write to the firm.
        </Text>
      </Confirm>
    </>
  );
}
