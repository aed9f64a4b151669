// Receipt: the items that a step named one by one.
import { Dimmed } from '../../components/dimmed.tsx';
import { countText } from '../../components/numbers.tsx';
import { usePrintedAt } from '../../components/print/printed-at.ts';
import { OwnItems } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import classes from './receipt.module.css';

/** More are listed on paper. */
const SHOWN = 10;

/** For their owner, whose receipt alone has the registry ids; the titles are those of today. */
export function ReceiptItemList({ registryIds }: { registryIds: readonly string[] }) {
  const { printing } = usePrintedAt();
  const first = registryIds.slice(0, SHOWN);
  const { data } = useRead(OwnItems, { registryIds: first, first: SHOWN });
  const titleOf = (id: string) => data?.nodes.find(({ registryId }) => registryId === id)?.title;
  const shown = printing ? registryIds : first;
  return (
    <ul className={classes.items} aria-label="Chosen items">
      {shown.map((id) => (
        <li key={id}>
          {titleOf(id) !== undefined && <bdi className={classes.title}>{titleOf(id)}</bdi>}
          <span className={classes.id}>{id}</span>
        </li>
      ))}
      {registryIds.length > shown.length && (
        <li>
          <Dimmed span>and {countText(registryIds.length - shown.length)} more, which the downloaded file names</Dimmed>
        </li>
      )}
    </ul>
  );
}
