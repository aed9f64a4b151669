// Client: the terms of a grant on the left and their effect, as a preview, on the right; one below the other on narrow
// screens.
import { Title } from '@mantine/core';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { Dimmed } from '../../components/dimmed.tsx';
import classes from './grants/grant.module.css';
import { PreviewPanel } from './preview/preview-panel.tsx';

interface WithPreviewProps extends ComponentProps<typeof PreviewPanel> {
  title?: string;
  lead?: string;
  children: ReactNode;
}

export function WithPreview({ title = TITLE, lead = LEAD, children, ...preview }: WithPreviewProps) {
  return (
    <div className={classes.split}>
      <div>{children}</div>
      <div className={`off-paper ${classes.right}`}>
        <Part title={title} lead={lead}>
          <PreviewPanel {...preview} />
        </Part>
      </div>
    </div>
  );
}

const TITLE = 'Preview: what they would see';
const LEAD = 'All that this key could read. “Technical” shows it as the firm’s program would receive it.';

export function Part({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={id}>
      <Title order={2} size="h3" id={id} className={classes.partTitle}>
        {title}
      </Title>
      {lead && <Dimmed mb="sm">{lead}</Dimmed>}
      {children}
    </section>
  );
}
