// Components: a firm's own details.
import { Anchor } from '@mantine/core';
import type { FirmContactFragment } from '../generated/operations.ts';
import { Dimmed } from './dimmed.tsx';
import { mailTo } from './mail-to.ts';
import { type Fact, Facts } from './page/section.tsx';

/** `www.example.com` of `https://www.example.com/`. */
const hostOf = (website: string): string => website.replace(/^https:\/\//, '').replace(/\/$/, '');

export function FirmFacts({ of: { address, website, email, phone } }: { of: FirmContactFragment }) {
  const rows: Fact[] = [
    ['Address', address],
    ['Web site', website && <SiteLink to={website} />],
    ['E-mail', email && <Anchor href={mailTo(email)}>{email}</Anchor>],
    ['Telephone', phone && <Anchor href={`tel:${phone.replace(/[^\d+]/g, '')}`}>{phone}</Anchor>],
  ];
  const given = rows.filter(([, value]) => value);
  if (given.length === 0) return <Dimmed>The firm has not said where it is or how to reach it.</Dimmed>;
  return <Facts of={given} rows />;
}

/** Opens beside the portal, and gets neither a referrer nor access to the window. */
function SiteLink({ to }: { to: string }) {
  return (
    <Anchor href={to} target="_blank" rel="noopener noreferrer nofollow">
      {hostOf(to)}
    </Anchor>
  );
}
