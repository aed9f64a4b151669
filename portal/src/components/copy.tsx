// Components: text to copy: ids, secrets, commands.
import { ActionIcon, Button, Code, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import { announce } from '../shell/announcer.tsx';
import classes from './copy.module.css';

/** Copies, and reports the result; `copied` is true for two seconds. `shown`: the part that the page shows. */
export function useCopy({ value, label, shown = value }: CopyProps) {
  const { copied, copy, error } = useClipboard({ timeout: 2000 });
  useEffect(() => {
    if (copied) announce(`Copied ${label}`);
  }, [copied, label]);
  // Some browsers cannot copy, others not on pages without encryption.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each failure.
  useEffect(() => {
    if (error === null) return;
    const it = shown === value ? label : `${label} ${value}`;
    const text = `This browser did not copy the ${it}. Select it and copy it yourself.`;
    notifications.show({ message: text, color: 'red', autoClose: false });
  }, [error]);
  return { copied, copy: () => copy(value) };
}

interface CopyProps {
  value: string;
  /** What is copied, in lower case: `request id`. */
  label: string;
  /** A shorter form for narrow places. */
  shown?: string;
}

export function CopyButton({ value, label, children }: CopyProps & { children: string }) {
  const { copied, copy } = useCopy({ value, label });
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <Button variant={copied ? 'light' : 'default'} onClick={copy} leftSection={<Icon size={16} aria-hidden />}>
      {copied ? 'Copied' : children}
    </Button>
  );
}

export function CopyIcon(props: CopyProps) {
  const { label } = props;
  const { copied, copy } = useCopy(props);
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy ${label}`}>
        {copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}

/** An id with its copy button. */
export function CopyText({ value, label, shown = value }: CopyProps) {
  return (
    <span className={classes.inline}>
      <span className={classes.mono} title={shown === value ? undefined : value}>
        {shown}
      </span>
      <CopyIcon value={value} label={label} shown={shown} />
    </span>
  );
}

/** Several lines to paste elsewhere. Scrolls sideways instead of wrapping. */
export function CopyBlock({ value, label }: CopyProps) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className={classes.scroll} aria-label={label} tabIndex={0}>
        <Code block className={classes.code}>
          {value}
        </Code>
      </section>
      <div className={classes.corner}>
        <CopyIcon value={value} label={label} />
      </div>
    </div>
  );
}
