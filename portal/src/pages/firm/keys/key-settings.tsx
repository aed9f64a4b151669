// Firm: the settings of a key that can be changed later, as fields of the form that makes it and of the one that changes it.
import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { DAY_MS } from '#core/timestamps.ts';
import { ExpiryPicker } from '../../../components/expiry-picker.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { useViewer } from '../../../session/viewer.ts';

/** The reader's clock may be behind the server's by this much. */
const SLACK = 60_000;

/** RFC 3339: the latest end that a key may be given now; null: it needs none. */
export function useLatestExpiry(): string | null {
  const { maxKeyLifetimeDays: days } = useViewer();
  return days === null ? null : new Date(minute(Date.now()) + days * DAY_MS - SLACK).toISOString();
}

/** So that the latest end is the same when the page is drawn again. */
const minute = (at: number) => Math.floor(at / SLACK) * SLACK;

export function nameFault(name: string): string | null {
  return name.trim() === '' ? 'Give the key a name.' : null;
}

/** What was typed, one network each. */
export const networksOf = (typed: string): string[] => typed.split(/[\s,;]+/).filter((word) => word !== '');

interface ExpiryFieldProps {
  value: string | null;
  onChange: (expiresAt: string | null) => void;
  error?: ReactNode;
}

export function ExpiryField(props: ExpiryFieldProps) {
  const { maxKeyLifetimeDays: days } = useViewer();
  const latest = useLatestExpiry();
  return (
    <ExpiryPicker
      label="Works"
      never="Until revoked"
      latest={latest}
      longest={days === null ? '' : `As long as a key may: ${countOf(days, 'day')}`}
      {...props}
    />
  );
}

/** Props of a form's input. */
type FieldProps = { value?: string; onChange?: unknown; error?: ReactNode };

export const NoteField = (props: FieldProps) => (
  <Textarea
    label="Note"
    description="For the members of your firm; clients do not see it."
    autosize
    minRows={2}
    maxRows={8}
    maxLength={2000}
    {...(props as object)}
  />
);

export const NetworksField = (props: FieldProps) => (
  <Textarea
    label="Allowed networks"
    description="Addresses or ranges such as 203.0.113.0/24 or 2001:db8::/32, one on each line. Calls from elsewhere are refused. Empty: from anywhere."
    autosize
    minRows={2}
    maxRows={12}
    spellCheck={false}
    autoCapitalize="off"
    {...(props as object)}
  />
);
