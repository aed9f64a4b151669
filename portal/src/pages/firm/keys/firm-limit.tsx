// Firm: how much all keys together use of the limit that the firm has besides theirs.
import { Box, Text } from '@mantine/core';
import { Meter } from '../../../components/meter.tsx';
import { countText } from '../../../components/numbers.tsx';
import { Viewer } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import classes from './keys.module.css';

/** Nothing where the firm has none, as most have. */
export function FirmLimit() {
  const { data } = useRead(Viewer, {}, { every: 15_000 });
  const limit = data?.firm?.limit;
  if (!limit) return null;
  return (
    <Box component="section" aria-label="All keys together" mb="xl" maw="20rem">
      <Text size="sm" fw={600} mb={4}>
        All keys together
      </Text>
      <Meter used={limit.used} limit={limit.limit} />
      <Text size="xs" c="dimmed" mt={4}>
        {limit.refused > 0 ? (
          <span className={classes.refused}>{countText(limit.refused)} refused</span>
        ) : (
          'Requests in the last minute; this limit holds besides those of the keys.'
        )}
      </Text>
    </Box>
  );
}
