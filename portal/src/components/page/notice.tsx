// Components: information to read before continuing.
import { Text } from '@mantine/core';
import { IconAlertCircle, IconInfoCircle } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import classes from './notice.module.css';

interface NoticeProps {
  tone: 'warn' | 'bad' | 'info';
  title?: ReactNode;
  icon?: ComponentType<{ size?: number | string; className?: string | undefined }>;
  children: ReactNode;
}

export function Notice({ tone, title, icon, children }: NoticeProps) {
  const Icon = icon ?? (tone === 'info' ? IconInfoCircle : IconAlertCircle);
  return (
    <div className={classes.notice} data-tone={tone}>
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
    </div>
  );
}
