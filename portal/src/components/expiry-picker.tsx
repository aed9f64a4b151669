// Components: until when something holds: never ending, for a while, or until a day.
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { dateText } from './time.tsx';

const DAY = 86_400_000;

const SPANS: readonly { value: string; label: string; days: number }[] = [
  { value: '7', label: '7 days', days: 7 },
  { value: '30', label: '30 days', days: 30 },
  { value: '90', label: '90 days', days: 90 },
  { value: '365', label: 'One year', days: 365 },
];

interface ExpiryPickerProps {
  label: string;
  description?: string;
  /** RFC 3339; null: no end. */
  value: string | null;
  onChange: (expiresAt: string | null) => void;
  /** The word for no end. */
  never?: string;
  /** RFC 3339; the end that must not be passed: it takes the place of no end. */
  latest?: string | null;
  error?: ReactNode;
}

/** Spans are counted from when they are chosen; a day counts to its end where the reader is. */
export function ExpiryPicker(props: ExpiryPickerProps) {
  const { label, description, value, onChange, never = 'No end', latest = null, error } = props;
  const [choice, setChoice] = useState(value === latest ? 'longest' : 'date');
  const longest = latest === null ? never : `As asked: until ${dateText(latest)}`;
  const sooner = (at: string) => (latest !== null && Date.parse(at) > Date.parse(latest) ? latest : at);
  const spans = SPANS.filter(({ days }) => latest === null || Date.now() + days * DAY < Date.parse(latest));
  const choose = (next: string) => {
    setChoice(next);
    const span = SPANS.find((row) => row.value === next);
    if (span !== undefined) onChange(new Date(Date.now() + span.days * DAY).toISOString());
    else if (next === 'longest') onChange(latest);
    else onChange(value ?? endOf(dayOf(new Date(Date.now() + 30 * DAY))));
  };
  return (
    <Group align="flex-start" gap="sm" wrap="wrap">
      <NativeSelect
        label={label}
        description={description}
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
          value={value === null ? '' : dayOf(new Date(value))}
          min={dayOf(new Date())}
          max={latest === null ? undefined : dayOf(new Date(latest))}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? latest : sooner(endOf(currentTarget.value)))
          }
          error={error}
          flex="1 1 12rem"
        />
      )}
    </Group>
  );
}

/** `2026-01-15` in the reader's time zone. */
function dayOf(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
}

const endOf = (day: string): string => new Date(`${day}T23:59:59.999`).toISOString();
