// Client: ends all access of a firm, for all its keys, after one question.
import { Text } from '@mantine/core';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { withNames } from '../../../components/names.ts';
import { ClientGrants, StopFirm } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { KeptData } from './end-grant.tsx';
import classes from './grants.module.css';

interface StopFirmProps {
  firmId: string;
  firmName: string;
}

export function StopFirmButton({ firmId, firmName }: StopFirmProps) {
  return (
    <ConfirmedAction
      operation={StopFirm}
      variables={{ firmId }}
      lookUp={async ({ firmId: of }, since) => {
        // Newest first: more than a firm can have requested since.
        const { nodes } = await call(ClientGrants, { status: ['active', 'pending'], firmId: of, first: 100 });
        return nodes.some(({ createdAt }) => Date.parse(createdAt) < since) ? null : 0;
      }}
      variant="subtle"
      color="red"
      size="compact-sm"
      ml="-0.5rem"
      classNames={{ root: classes.stop, label: classes.stopLabel }}
      // The label is a flex box. Without the span, its parts would become columns.
      label={
        <span>
          Stop everything of <bdi>{firmName}</bdi>
        </span>
      }
      title={withNames`Stop everything of ${firmName}?`}
      confirm="Stop everything"
      done={withNames`${firmName} can no longer see anything, with any of its keys.`}
    >
      <Text>From this moment none of its keys can read anything of yours, and its open requests are declined.</Text>
      <KeptData firmName={firmName} />
    </ConfirmedAction>
  );
}
