// Components: placeholders for data that are loading, missing or failed to load.
import { Button, Group, Skeleton, Stack, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconListSearch, IconRefresh } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useState } from 'react';
import { isTransient, type PorticoError } from '../../graphql/portico-error.ts';
import { reloadProgram } from '../../session/renewal.ts';
import { ActionButton } from '../action-button.tsx';
import { CopyText } from '../copy.tsx';
import { useTitleAfterLeaving } from '../focus.ts';
import { ClearFilters } from '../table/clear-filters.tsx';
import { Notice } from './notice.tsx';
import classes from './states.module.css';

/** Placeholder rows while a list is loading. */
export function TableSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className={classes.skeleton} aria-busy="true">
      <VisuallyHidden>Loading…</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move.
        <div key={row} className={classes.skeletonRow}>
          <Skeleton height={14} width="38%" />
          <Skeleton height={14} width="18%" visibleFrom="sm" />
          <Skeleton height={14} width="22%" visibleFrom="md" />
          <Skeleton height={14} width="10%" />
        </div>
      ))}
    </div>
  );
}

/** Placeholder lines while an object is loading. */
export function BlockSkeleton({ lines = 5 }: { lines?: number }) {
  return (
    <Stack gap="md" aria-busy="true">
      <VisuallyHidden>Loading…</VisuallyHidden>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move.
        <Skeleton key={line} height={14} width={`${90 - ((line * 23) % 50)}%`} />
      ))}
    </Stack>
  );
}

/** The error, the id to give to support, and a retry. */
interface FailureProps {
  error: PorticoError;
  retry?: (() => void) | undefined;
  /** Whether a retry is running. */
  retrying?: boolean;
  /** What the user can do about it. */
  children?: ReactNode;
}

export function Failure({ error, retry, retrying = false, children }: FailureProps) {
  const { ref, leaving } = useTitleAfterLeaving();
  if (error.code === 'unknown_operation') return <Outdated />;
  return (
    <div role="alert" className={classes.failure}>
      <Notice tone="bad" title={error.message} icon={IconAlertTriangle}>
        {children}
        {error.requestId && (
          <>
            Request <CopyText value={error.requestId} label="request id" />
          </>
        )}
        {retry && isTransient(error) && (
          <ActionButton
            mt="sm"
            size="xs"
            display="block"
            variant="default"
            leftSection={<IconRefresh size={15} aria-hidden />}
            busy={retrying}
            ref={ref}
            onClick={() => {
              leaving();
              retry();
            }}
          >
            Try again
          </ActionButton>
        )}
      </Notice>
    </div>
  );
}

/** The error of a refetch, above the content that was loaded before. */
export function RefetchFailure({ of }: { of: UseQueryResult<unknown, PorticoError> }) {
  const { data, error, refetch, isFetching } = of;
  if (error === null || data === undefined) return null;
  return <Failure error={error} retry={() => void refetch()} retrying={isFetching} />;
}

/** The program and the server are of different releases, and reloading has not helped yet. */
function Outdated() {
  return (
    <div role="alert" className={classes.failure}>
      <Notice tone="warn" title="The portal is being updated" icon={IconRefresh}>
        This page and the portal’s server are of different versions. Reload the page to continue; what you have filled
        in is kept. If this message comes again, wait a minute and reload once more.
        <Button mt="sm" size="xs" display="block" variant="default" onClick={reloadProgram}>
          Reload
        </Button>
      </Notice>
    </div>
  );
}

interface EmptyProps {
  icon: ComponentType<{ size?: number; stroke?: number }>;
  title: string;
  /** Why there is nothing here, and what to do. */
  children: ReactNode;
  action?: ReactNode;
}

export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <ThemeIcon size={48} radius="xl" variant="default" aria-hidden>
        <Icon size={22} stroke={1.6} />
      </ThemeIcon>
      <Title order={2} size="h3" mt="md">
        {title}
      </Title>
      <Text c="dimmed" mt={4} maw="30rem" component="div">
        {children}
      </Text>
      {action && (
        <Group mt="lg" justify="center">
          {action}
        </Group>
      )}
    </div>
  );
}

interface NoMatchProps {
  title?: string;
  onClear: () => void;
  children: ReactNode;
}

/** Rows may exist that the filters exclude. */
export function NoMatch({ title = 'Nothing matches this filter', onClear, children }: NoMatchProps) {
  return (
    <Empty icon={IconListSearch} title={title} action={<ClearFilters variant="default" onClear={onClear} />}>
      {children}
    </Empty>
  );
}

interface ReadingProps<Body> {
  of: UseQueryResult<Body, PorticoError>;
  /** Shown above until the body is loaded: a head without its title yet. */
  head?: ReactNode;
  skeleton?: ReactNode;
  /** Shown instead of the failure if there is no such object. */
  missing?: ReactNode;
  children: (body: Body) => ReactNode;
}

/** The states of a query: loading, failed, loaded. A failed refetch keeps the loaded content. */
export function Reading<Body>({ of, head, skeleton = <TableSkeleton />, missing, children }: ReadingProps<Body>) {
  const { data, refetch, isFetching } = of;
  const failure = useFailure(of);
  if (data !== undefined) return children(data);
  return (
    <>
      {head}
      {failure === null ? (
        skeleton
      ) : failure.code === 'resource_not_found' && missing !== undefined ? (
        missing
      ) : (
        <Failure error={failure} retry={() => void refetch()} retrying={isFetching} />
      )}
    </>
  );
}

/**
 * The error of a query without any result, also during a retry, when the library has reset the error and keeps only the
 * count of errors.
 */
export function useFailure({ error, errorUpdateCount }: UseQueryResult<unknown, PorticoError>): PorticoError | null {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return errorUpdateCount === 0 ? null : (error ?? last);
}
