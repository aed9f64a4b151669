// Components: chooses an expiry: never, after a span, or at the end of a day.
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { DAY_MS } from '#core/timestamps.ts';
import { boundsOf, dayOf, LAST_DAY } from './day.ts';
import { endText, momentText } from './time.tsx';

interface Span {
  value: string;
  label: string;
  days: number;
}

const WEEK: Span = { value: '7', label: '7 days', days: 7 };
const MONTH: Span = { value: '30', label: '30 days', days: 30 };

const SPANS: readonly Span[] = [
  WEEK,
  MONTH,
  { value: '90', label: '90 days', days: 90 },
  { value: '365', label: 'One year', days: 365 },
];

/** For temporary measures. */
export const SHORT_SPANS: readonly Span[] = [
  { value: '1h', label: 'One hour', days: 1 / 24 },
  { value: '1', label: 'One day', days: 1 },
  WEEK,
  MONTH,
];

interface ExpiryPickerProps {
  label: string;
  /** RFC 3339; null for no expiry; empty if a day is still to be chosen. */
  value: string | null;
  onChange: (expiresAt: string | null) => void;
  /** The label for no expiry. */
  never?: string;
  /** RFC 3339; the maximum, which replaces no expiry. */
  latest?: string | null;
  /** The label for `latest`. */
  longest?: string;
  /** Options other than a day. */
  spans?: readonly Span[];
  error?: ReactNode;
}

/** A span starts when it is chosen. A day ends at midnight in the reader's time zone. */
export function ExpiryPicker(props: ExpiryPickerProps) {
  const { label, value, onChange, never = 'No end', latest = null, spans: all = SPANS, error } = props;
  const [choice, setChoice] = useState(value === latest ? 'longest' : 'date');
  const longest = latest === null ? never : (props.longest ?? `As asked: until ${endText(latest)}`);
  const sooner = (at: string) => (latest !== null && Date.parse(at) > Date.parse(latest) ? latest : at);
  const spans = all.filter(({ days }) => latest === null || Date.now() + days * DAY_MS < Date.parse(latest));
  const choose = (next: string) => {
    setChoice(next);
    const span = all.find((row) => row.value === next);
    if (span !== undefined) onChange(new Date(Date.now() + span.days * DAY_MS).toISOString());
    else if (next === 'longest') onChange(latest);
    else onChange(value ?? endOf(dayOf(new Date(Date.now() + 30 * DAY_MS))));
  };
  return (
    <Group align="flex-start" gap="sm" wrap="wrap">
      <NativeSelect
        label={label}
        value={choice}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[{ value: 'longest', label: longest }, ...spans, { value: 'date', label: 'Until a day…' }]}
        error={choice === 'date' ? null : error}
        flex="1 1 12rem"
      />
      {choice === 'date' && (
        <TextInput
          type="date"
          label="Last day"
          description={endsWithin(value) ? `It ends on ${momentText(value)}` : undefined}
          value={value ? dayOf(new Date(value)) : ''}
          min={dayOf(new Date())}
          max={latest === null ? LAST_DAY : dayOf(new Date(latest))}
          onChange={({ currentTarget }) => onChange(sooner(endOf(currentTarget.value)))}
          error={error}
          flex="1 1 12rem"
        />
      )}
    </Group>
  );
}

/** The last moment of the day; empty for an invalid day. */
function endOf(day: string): string {
  const bounds = boundsOf(day);
  return bounds === null ? '' : new Date(bounds.ends.getTime() - 1).toISOString();
}

/** Whether it is not the end of a day, and so was not chosen here as a day. */
const endsWithin = (value: string | null): value is string =>
  value !== null && value !== '' && Date.parse(value) !== Date.parse(endOf(dayOf(new Date(value))));
