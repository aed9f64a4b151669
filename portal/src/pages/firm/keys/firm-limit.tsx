// Firm: the use of the firm's limit, which applies to all keys together in addition to their own.
import { Box, Text } from '@mantine/core';
import { Viewer } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { LimitUse } from './limit-use.tsx';

/** Nothing if the firm has no such limit, like most firms. */
export function FirmLimit() {
  const { data } = useRead(Viewer, {}, { every: 15_000 });
  const limit = data?.firm?.limit;
  if (!limit) return null;
  return (
    <Box component="section" aria-label="All keys together" mb="xl" maw="20rem">
      <Text size="sm" fw={600} mb={4}>
        All keys together, last minute
      </Text>
      <LimitUse figures={limit}>This limit applies in addition to those of the keys.</LimitUse>
    </Box>
  );
}
