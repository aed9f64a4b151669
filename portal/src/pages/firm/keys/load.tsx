// Firm: how much of a limit is used right now, and what it refused.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Meter } from '../../../components/meter.tsx';
import { countText } from '../../../components/numbers.tsx';
import classes from './keys.module.css';

interface LoadProps {
  of: { used: number; limit: number; refused: number };
  /** Below the meter where nothing was refused. */
  children: ReactNode;
}

export function Load({ of: { used, limit, refused }, children }: LoadProps) {
  return (
    <>
      <Meter used={used} limit={limit} />
      <Text size="xs" c="dimmed" mt={4}>
        {refused > 0 ? <span className={classes.refused}>{countText(refused)} refused</span> : children}
      </Text>
    </>
  );
}
