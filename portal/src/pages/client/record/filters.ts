// Client: the filters of the access record, in the address, for the endpoint, and for downloads.
import { useMemo } from 'react';
import { DAY_MS } from '#core/timestamps.ts';
import { boundsOf, isDay } from '../../../components/day.ts';
import { outcomeText } from '../../../components/status.tsx';
import { useFilters } from '../../../components/table/filter-bar.tsx';
import { isOneOf } from '../../../components/table/filter-options.ts';
import type { AccessRecordQueryVariables } from '../../../generated/operations.ts';
import { ENDPOINTS } from '../plain-words.ts';

export type RecordQuery = Pick<
  AccessRecordQueryVariables,
  'firmId' | 'keyId' | 'outcome' | 'endpoint' | 'registryId' | 'since' | 'until'
>;

export const OUTCOMES = ['allowed', 'refused', 'limited', 'failed'].map((value) => ({
  value,
  label: outcomeText(value),
}));

const PERIODS: readonly { value: string; label: string; days: number }[] = [
  { value: '1d', label: 'Last 24 hours', days: 1 },
  { value: '7d', label: 'Last 7 days', days: 7 },
  { value: '30d', label: 'Last 30 days', days: 30 },
  { value: '90d', label: 'Last 90 days', days: 90 },
];

export const WHEN = [...PERIODS, { value: 'days', label: 'Between days…' }];

const KNOWN = {
  who: (value: string): boolean => /^(frm|key)_/.test(value),
  outcome: isOneOf(OUTCOMES),
  endpoint: isOneOf(ENDPOINTS),
  period: isOneOf(WHEN),
  from: isDay,
  to: isDay,
};

const NAMES = ['who', 'outcome', 'endpoint', 'item', 'period', 'from', 'to'] as const;

/** `who` is the id of a firm or of a key; `period` is one of PERIODS, or `days` for the days from `from` to `to`. */
export function useRecordFilters() {
  const filters = useFilters(NAMES, KNOWN);
  const { who, outcome, endpoint, item, period, from, to } = filters.values;
  const query = useMemo(
    (): RecordQuery => ({
      ...(who?.startsWith('frm_') ? { firmId: who } : {}),
      ...(who?.startsWith('key_') ? { keyId: who } : {}),
      ...(outcome === null ? {} : { outcome }),
      ...(endpoint === null ? {} : { endpoint }),
      ...(item === null ? {} : { registryId: item }),
      ...timesOf(period, from, to),
    }),
    [who, outcome, endpoint, item, period, from, to],
  );
  // Days without their period do not filter.
  const active = period !== null || Object.keys(query).length > 0;
  return { ...filters, active, query };
}

/** A span starts when it is chosen, so that all pages of a walk use the same one. */
function timesOf(period: string | null, from: string | null, to: string | null): Pick<RecordQuery, 'since' | 'until'> {
  const span = PERIODS.find(({ value }) => value === period);
  if (span !== undefined) return { since: new Date(Date.now() - span.days * DAY_MS).toISOString() };
  if (period !== 'days') return {};
  const since = boundsOf(from)?.begins;
  const until = boundsOf(to)?.ends;
  return {
    ...(since === undefined ? {} : { since: since.toISOString() }),
    ...(until === undefined ? {} : { until: until.toISOString() }),
  };
}

const PARAMETERS: readonly [keyof RecordQuery, string][] = [
  ['since', 'since'],
  ['until', 'until'],
  ['firmId', 'firm_id'],
  ['keyId', 'key_id'],
  ['endpoint', 'endpoint'],
  ['outcome', 'outcome'],
  ['registryId', 'registry_id'],
];

/** The address of the download with the same filters. */
export function downloadPath(format: 'csv' | 'json', query: RecordQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, parameter] of PARAMETERS) if (query[name]) parameters.set(parameter, query[name]);
  const text = parameters.toString();
  return `/portal/access-record.${format}${text === '' ? '' : `?${text}`}`;
}
