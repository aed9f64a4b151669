// Client: the calls of a statement: all rows are rendered, since paper does not scroll.
import { memo } from 'react';
import { outcomeText } from '../../../components/status.tsx';
import { exactText } from '../../../components/time.tsx';
import { contentsText, itemCountText, readText, refusedText, scopesText } from '../plain-words.ts';
import { Party } from '../record/party.tsx';
import classes from './statement.module.css';

/** A row of the download. */
export interface StatementRow {
  at: string;
  firm: string;
  key: string;
  endpoint: string;
  registry_id: string | null;
  item: string | null;
  scopes: string[];
  outcome: string;
  status: number;
  contents: string;
  /** Registry ids. Null if the call read nothing. */
  items: readonly string[] | null;
  error_code: string | null;
  request_id: string;
  tool_role: string | null;
}

export const itemOf = ({ item, registry_id }: StatementRow): string => item ?? registry_id ?? '';

export const StatementTable = memo(function StatementTable({ rows }: { rows: readonly StatementRow[] }) {
  return (
    <table className={classes.table} aria-label="Access record">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">By whom</th>
          <th scope="col">What was read</th>
          <th scope="col">Outcome</th>
          <th scope="col">Request</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.request_id}>
            <td className="numbers">{exactText(row.at)}</td>
            <td>
              <Party firmName={row.firm} toolRole={row.tool_role} />
              <small dir="auto">{row.key}</small>
            </td>
            <td>
              {row.registry_id === null ? readText(row.endpoint) : <bdi>{itemOf(row)}</bdi>}
              {row.registry_id !== null && <small>{readText(row.endpoint)}</small>}
              <Carried row={row} />
            </td>
            <td>
              {outcomeText(row.outcome)}
              <small>{row.outcome === 'allowed' ? scopesText(row.scopes) : refusedText(row.error_code)}</small>
            </td>
            <td className={classes.id}>{row.request_id}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});

function Carried({ row: { contents, status, registry_id: registryId, items } }: { row: StatementRow }) {
  const text = contentsText({ contents, status, registryId });
  return (
    <>
      {text !== null && <small>{text}</small>}
      {contents === 'items' && registryId === null && <small>{itemCountText(items?.length ?? 0)}</small>}
    </>
  );
}
