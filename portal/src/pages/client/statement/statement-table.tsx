// Client: the calls of a statement: all rows are rendered, since paper does not scroll.
import { memo } from 'react';
import { outcomeText } from '../../../components/status.tsx';
import { exactText } from '../../../components/time.tsx';
import { contentsText, itemsText, outcomeNote, readText } from '../plain-words.ts';
import { Party } from '../record/party.tsx';
import type { RecordRow } from '../record/record-items.tsx';
import classes from './statement.module.css';

export const itemOf = ({ itemTitle, registryId }: RecordRow): string => itemTitle ?? registryId ?? '';

export const StatementTable = memo(function StatementTable({ rows }: { rows: readonly RecordRow[] }) {
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
          <tr key={row.requestId}>
            <td className="numbers">{exactText(row.at)}</td>
            <td>
              <Party firmName={row.firmName} toolRole={row.toolRole} />
              <small dir="auto">{row.keyName}</small>
            </td>
            <td>
              {row.registryId === null ? readText(row.endpoint) : <bdi>{itemOf(row)}</bdi>}
              {row.registryId !== null && <small>{readText(row.endpoint)}</small>}
              <Carried row={row} />
            </td>
            <td>
              {outcomeText(row.outcome)}
              <small>{outcomeNote(row)}</small>
            </td>
            <td className={classes.id}>{row.requestId}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});

function Carried({ row }: { row: RecordRow }) {
  const texts = [contentsText(row), itemsText(row)].filter((text) => text !== null);
  return texts.map((text) => <small key={text}>{text}</small>);
}
