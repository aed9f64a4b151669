// Components: a link from an event of a grant to its receipt.
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { momentText } from '../time.tsx';

export function ReceiptLink({ to, at }: { to: string; at: string }) {
  return (
    <Anchor component={Link} href={to} size="sm" aria-label={`Receipt of ${momentText(at)}`}>
      Receipt
    </Anchor>
  );
}
