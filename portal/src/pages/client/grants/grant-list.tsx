// Client: the keys with access: scopes, items, end, and frequency of calls.
import { Button, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useDebounced } from '../../../components/debounced.ts';
import { Listing } from '../../../components/page/listing.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { ClientGrants } from '../../../generated/operations.ts';
import { usePages } from '../../../graphql/hooks.ts';
import { ACTIVE_COLUMNS } from './grant-columns.tsx';
import classes from './grants.module.css';
import { StopFirms } from './stop-firm.tsx';

const PAGE = 50;

/** Shorter lists need no search. */
const SEARCH_FROM = 8;

export function ActiveGrants({ total }: { total: number }) {
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const clear = () => {
    field.current?.focus();
    setTyped('');
  };
  const [search, waiting] = useDebounced(typed);
  const reading = usePages(ClientGrants, { status: ['active'], first: PAGE, ...(search === '' ? {} : { search }) });
  return (
    <>
      {total > SEARCH_FROM && (
        <SearchInput
          ref={field}
          aria-label="Search by firm or key"
          placeholder="Firm or key"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          className={classes.search}
        />
      )}
      <Listing of={reading} skeletonRows={4} waiting={waiting}>
        {(rows, found) => {
          // In the order of their first rows.
          const firms = [...Map.groupBy(rows, ({ firmId }) => firmId).values()];
          return rows.length === 0 ? (
            <Text c="dimmed" py="lg">
              No firm or key matches.{' '}
              <Button variant="subtle" size="compact-sm" onClick={clear}>
                Clear the search
              </Button>
            </Text>
          ) : (
            <>
              <DataTable
                label="Keys with access"
                columns={ACTIVE_COLUMNS}
                // Rows of a longer list would move when more are loaded.
                rows={found > PAGE ? rows : firms.flat()}
                rowId="id"
                total={found}
                onNearEnd={reading.next.onNearEnd}
              />
              <StopFirms firms={firms} />
            </>
          );
        }}
      </Listing>
    </>
  );
}
