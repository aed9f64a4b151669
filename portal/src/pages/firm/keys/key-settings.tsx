// Firm: the changeable settings of a key, as fields for the forms that create and change keys.
import { Textarea } from '@mantine/core';
import type { ComponentProps } from 'react';
import { MAX_NOTE } from '#core/text-lengths.ts';
import { DAY_MS } from '#core/timestamps.ts';
import { ExpiryPicker } from '../../../components/expiry-picker.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { useViewer } from '../../../session/viewer.ts';

/** Tolerance for a reader's clock that is behind the server's. */
const SLACK = 60_000;

/** RFC 3339: the maximum expiry that a key may be given now; null if it needs none. */
export function useLatestExpiry(): string | null {
  const { maxKeyLifetimeDays: days } = useViewer();
  return days === null ? null : new Date(minute(Date.now()) + days * DAY_MS - SLACK).toISOString();
}

/** Rounded, so that the maximum does not change at every render. */
const minute = (at: number) => Math.floor(at / SLACK) * SLACK;

export function nameFault(name: string): string | null {
  return name.trim() === '' ? 'Give the key a name.' : null;
}

/** The networks in the input. */
export const networksOf = (typed: string): string[] => typed.split(/[\s,;]+/).filter((word) => word !== '');

type ExpiryFieldProps = Pick<ComponentProps<typeof ExpiryPicker>, 'value' | 'onChange' | 'error'>;

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

export const NoteField = Textarea.withProps({
  label: 'Note',
  description: 'For the members of your firm; clients do not see it.',
  autosize: true,
  minRows: 2,
  maxRows: 8,
  maxLength: MAX_NOTE,
});

export const NetworksField = Textarea.withProps({
  label: 'Allowed networks',
  description:
    'Addresses or ranges such as 203.0.113.0/24 or 2001:db8::/32, one on each line. Calls from elsewhere are refused. Empty: from anywhere.',
  autosize: true,
  minRows: 2,
  maxRows: 12,
  spellCheck: false,
  autoCapitalize: 'off',
});
