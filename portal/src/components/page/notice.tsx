// Components: information to read before continuing.
import { Box, type BoxProps, Text } from '@mantine/core';
import { IconAlertCircle, IconInfoCircle } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import classes from './notice.module.css';

interface NoticeProps extends Pick<BoxProps, 'mb' | 'maw'> {
  tone: 'warn' | 'bad' | 'info';
  title?: ReactNode;
  icon?: ComponentType<{ size?: number | string; className?: string | undefined }>;
  /** Whether screen readers announce it when it appears. */
  alert?: boolean;
  children: ReactNode;
}

export function Notice({ tone, title, icon, alert = false, children, ...space }: NoticeProps) {
  const Icon = icon ?? (tone === 'info' ? IconInfoCircle : IconAlertCircle);
  return (
    <Box className={classes.notice} data-tone={tone} role={alert ? 'alert' : undefined} {...space}>
      <Icon size={19} className={classes.icon} aria-hidden />
      <div>
        {title && (
          <Text fw={600} size="sm" mb={2}>
            {title}
          </Text>
        )}
        <Text size="sm" component="div">
          {children}
        </Text>
      </div>
    </Box>
  );
}
