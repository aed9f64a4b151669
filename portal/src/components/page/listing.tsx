// Components: a list read page by page: under way, failed, there, or still that of the filters before.
import type { ReactNode } from 'react';
import type { PagesReading } from '../../graphql/hooks.ts';
import { Settling } from './settling.tsx';
import { Failure, TableSkeleton } from './states.tsx';

interface ListingProps<Row> {
  of: PagesReading<Row>;
  /** Rows of grey while there is nothing yet. */
  skeletonRows?: number;
  /** Other filters are chosen already, and not asked for yet. */
  waiting?: boolean;
  children: (rows: readonly Row[], total: number) => ReactNode;
}

export function Listing<Row>({ of, skeletonRows, waiting = false, children }: ListingProps<Row>) {
  const { rows, total, error, refetch, isPlaceholderData } = of;
  if (rows !== null)
    return <Settling busy={waiting || isPlaceholderData}>{children(rows, total ?? rows.length)}</Settling>;
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  return <TableSkeleton {...(skeletonRows === undefined ? {} : { rows: skeletonRows })} />;
}
