// Guarantee: the alerts of a few seconds of scrapes are those that would fire if the gateway went on like this for 40
// minutes.
import { describe, expect, it } from 'vitest';
import { alertsAfter, type Scrape, samplesBehind, samplesOf } from './alerting.ts';

const SECONDS = 4;

/** Four scrapes a second; `expose` gets the seconds since the first. */
const seen = (expose: (second: number) => string | null): Scrape[] =>
  Array.from({ length: SECONDS * 4 }, (_none, count) => {
    const text = expose(count / 4);
    return { at: count * 250, samples: text === null ? null : samplesOf(text) };
  });

const requests = (served: number, failed: number) =>
  `# TYPE portico_request_duration_seconds histogram
portico_request_duration_seconds_count{area="portfolio",status="200"} ${served}
portico_request_duration_seconds_count{area="portfolio",status="503"} ${failed}
`;
const gauge = (name: string, value: number) => `# TYPE ${name} gauge\n${name} ${value}\n`;

const well = seen((second) => requests(100 * second, 0) + gauge('portico_database_usable', 1));

describe('a phase of seconds', () => {
  it('fires no alert while all is well', () => {
    expect(alertsAfter([well])).toEqual([[]]);
  });

  it('fires alerts for a fault until it is over', () => {
    const away = seen((second) => requests(0, 100 * second) + gauge('portico_database_usable', 0));
    expect(alertsAfter([well, away, well])).toEqual([[], ['PorticoDatabaseAway', 'PorticoRequestsFail'], []]);
  });

  it('fires an alert on a share of requests, independent of their number', () => {
    const failing = (share: number) => seen((second) => requests(1e4 * (1 - share) * second, 1e4 * share * second));
    expect([alertsAfter([failing(0.02)]), alertsAfter([failing(0.005)])]).toEqual([[['PorticoRequestsFail']], [[]]]);
  });

  it('includes a series that appeared during the phase', () => {
    const began = seen(
      (second) => requests(100, 0) + (second < 2 ? '' : sampleOfCode('invalid_api_key', 100 * second)),
    );
    expect(alertsAfter([began])).toEqual([['PorticoForgedKeys']]);
  });
});

const sampleOfCode = (code: string, count: number) =>
  `# TYPE portico_refusals_total counter\nportico_refusals_total{area="portfolio",code="${code}"} ${count}\n`;

describe('the age of the oldest record', () => {
  const age = (of: (second: number) => number) =>
    seen((second) => gauge('portico_access_records_oldest_seconds', of(second)));

  it('continues to grow if it only grew', () => {
    expect(alertsAfter([age((second) => 12 + second)])).toEqual([['PorticoRecordsWaiting']]);
  });

  it('does not continue to grow if it rose too seldom', () => {
    expect(alertsAfter([age((second) => (second < 2 ? 1 : 6))])).toEqual([[]]);
    expect(alertsAfter([age((second) => 2 * Math.floor(second / 1.5))])).toEqual([[]]);
    expect(alertsAfter([age((second) => Math.floor(second))])).toEqual([['PorticoRecordsWaiting']]);
  });

  it('does not continue to grow if it fell', () => {
    expect(alertsAfter([age((second) => second % 1)])).toEqual([[]]);
  });
});

describe('a gauge that changes back and forth', () => {
  const usable = (of: (second: number) => boolean) =>
    seen((second) => gauge('portico_database_usable', of(second) ? 1 : 0));

  it('is sampled at all its values, so that no alert on a lasting fault fires', () => {
    expect(alertsAfter([usable((second) => second >= 1)])).toEqual([[]]);
    expect(alertsAfter([usable((second) => second % 2 >= 1)])).toEqual([[]]);
  });
});

it('an alert that waits for half an hour fires in the phase that causes it; samplesBehind lists its samples', () => {
  const ahead = (days: number) => seen(() => gauge('portico_access_record_ahead_seconds', days * 86_400));
  const phases = [ahead(70), ahead(10), seen(() => ''), ahead(70)];
  expect(alertsAfter(phases)).toEqual([[], ['PorticoRecordPartitionMissing'], [], []]);
  expect(samplesBehind(['PorticoRecordPartitionMissing'], phases)).toMatch(
    /^PorticoRecordPartitionMissing\n {2}portico_access_record_ahead_seconds\{.*\}(\n {4}(6048000|864000|absent) \(16 times\)){4}$/,
  );
});

it('a gateway that answers no scrape is down, and its last samples are stale', () => {
  const silent = seen(() => null);
  const away = seen(() => gauge('portico_database_usable', 0));
  expect(alertsAfter([away, silent, well])).toEqual([['PorticoDatabaseAway'], ['PorticoDown'], []]);
});
