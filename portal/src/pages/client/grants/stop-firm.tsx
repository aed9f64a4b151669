// Client: ends all access of a firm, for all its keys, after one question.
import { Text } from '@mantine/core';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { withNames } from '../../../components/names.ts';
import { countOf } from '../../../components/numbers.tsx';
import { ClientGrants, StopFirm } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { KeptData } from './end-grant.tsx';
import classes from './grants.module.css';

interface Firm {
  firmId: string;
  firmName: string;
}

/** One line for each firm that has access with several keys. Each firm is given as its keys. */
export function StopFirms({ firms }: { firms: readonly (readonly Firm[])[] }) {
  const lines = firms.flatMap(([firm, ...others]) =>
    firm === undefined || others.length === 0 ? [] : [{ ...firm, keys: others.length + 1 }],
  );
  if (lines.length === 0) return null;
  return (
    <ul className={classes.firms}>
      {lines.map(({ firmId, firmName, keys }) => (
        <li key={firmId}>
          <span className="breakable">
            <bdi>{firmName}</bdi> has access with {countOf(keys, 'key')}.
          </span>
          <StopFirmButton firmId={firmId} firmName={firmName} />
        </li>
      ))}
    </ul>
  );
}

function StopFirmButton({ firmId, firmName }: Firm) {
  return (
    <ConfirmedAction
      operation={StopFirm}
      variables={{ firmId }}
      lookUp={async ({ firmId: of }, since) => {
        // Newest first: more than a firm can have requested since.
        const { nodes } = await call(ClientGrants, { status: ['active', 'pending'], firmId: of, first: 100 });
        return nodes.some(({ createdAt }) => Date.parse(createdAt) < since) ? null : 0;
      }}
      size="compact-md"
      aria-label={`Stop everything of ${firmName}`}
      label="Stop everything"
      title={withNames`Stop everything of ${firmName}?`}
      confirm="Stop everything"
      done={withNames`${firmName} can no longer see anything, with any of its keys.`}
    >
      <Text>From this moment none of its keys can read anything of yours, and its open requests are declined.</Text>
      <KeptData firmName={firmName} />
    </ConfirmedAction>
  );
}
