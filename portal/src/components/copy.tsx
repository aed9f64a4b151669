// Components: text that people take elsewhere: ids, secrets, commands.
import { ActionIcon, Button, Code, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { announce } from '../shell/announcer.tsx';
import classes from './copy.module.css';

/** Copies and says so; `copied` is true for two seconds. */
function useCopy(value: string, label: string) {
  const { copied, copy } = useClipboard({ timeout: 2000 });
  return {
    copied,
    copy: () => {
      copy(value);
      announce(`Copied ${label}`);
    },
  };
}

interface CopyProps {
  value: string;
  /** What is copied, in lower case: `request id`. */
  label: string;
}

export function CopyButton({ value, label, children }: CopyProps & { children: string }) {
  const { copied, copy } = useCopy(value, label);
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <Button variant={copied ? 'light' : 'default'} onClick={copy} leftSection={<Icon size={16} aria-hidden />}>
      {copied ? 'Copied' : children}
    </Button>
  );
}

export function CopyIcon({ value, label }: CopyProps) {
  const { copied, copy } = useCopy(value, label);
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy ${label}`}>
        {copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}

/** An id with its copy button. `shown` is a shorter form for narrow places. */
export function CopyText({ value, label, shown = value }: CopyProps & { shown?: string }) {
  return (
    <span className={classes.inline}>
      <span className={classes.mono} title={shown === value ? undefined : value}>
        {shown}
      </span>
      <CopyIcon value={value} label={label} />
    </span>
  );
}

/** Several lines to paste elsewhere; scrolls sideways rather than wrap. */
export function CopyBlock({ value, label }: CopyProps) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard. */}
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
