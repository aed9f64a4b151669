// Guarantee: what is seen of a gateway in some seconds is judged as if it went on for 40 minutes, and neither more nor less fires.
import { describe, expect, it } from 'vitest';
import { alertsAfter, type Scrape, samplesBehind, samplesOf } from './alerting.ts';

const SECONDS = 4;

/** Four scrapes a second, made of the seconds since the first. */
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

describe('what goes on', () => {
  it('fires nothing where all is well', () => {
    expect(alertsAfter([well])).toEqual([[]]);
  });

  it('fires while it lasts, and not once it is over', () => {
    const away = seen((second) => requests(0, 100 * second) + gauge('portico_database_usable', 0));
    expect(alertsAfter([well, away, well])).toEqual([[], ['PorticoDatabaseAway', 'PorticoRequestsFail'], []]);
  });

  it('is a share of requests, whatever their number', () => {
    const failing = (share: number) => seen((second) => requests(1e4 * (1 - share) * second, 1e4 * share * second));
    expect([alertsAfter([failing(0.02)]), alertsAfter([failing(0.005)])]).toEqual([[['PorticoRequestsFail']], [[]]]);
  });

  it('counts what began to be counted meanwhile', () => {
    const began = seen(
      (second) => requests(100, 0) + (second < 2 ? '' : sampleOfCode('invalid_api_key', 100 * second)),
    );
    expect(alertsAfter([began])).toEqual([['PorticoForgedKeys']]);
  });
});

const sampleOfCode = (code: string, count: number) =>
  `# TYPE portico_refusals_total counter\nportico_refusals_total{area="portfolio",code="${code}"} ${count}\n`;

describe('an age', () => {
  const age = (of: (second: number) => number) =>
    seen((second) => gauge('portico_access_records_oldest_seconds', of(second)));

  it('goes on growing where it only grew', () => {
    expect(alertsAfter([age((second) => 12 + second)])).toEqual([['PorticoRecordsWaiting']]);
  });

  it('does not where it was looked at too seldom to tell', () => {
    expect(alertsAfter([age((second) => (second < 2 ? 1 : 6))])).toEqual([[]]);
    expect(alertsAfter([age((second) => 2 * Math.floor(second / 1.5))])).toEqual([[]]);
    expect(alertsAfter([age((second) => Math.floor(second))])).toEqual([['PorticoRecordsWaiting']]);
  });

  it('does not where what waits was replaced by what came later', () => {
    expect(alertsAfter([age((second) => second % 1)])).toEqual([[]]);
  });
});

describe('what goes up and down', () => {
  const usable = (of: (second: number) => boolean) =>
    seen((second) => gauge('portico_database_usable', of(second) ? 1 : 0));

  it('is seen at any of its moments, so that it does not seem to last', () => {
    expect(alertsAfter([usable((second) => second >= 1)])).toEqual([[]]);
    expect(alertsAfter([usable((second) => second % 2 >= 1)])).toEqual([[]]);
  });
});

it('an alert that waits for half an hour fires in the phase that causes it, and its samples can be told', () => {
  const ahead = (days: number) => seen(() => gauge('portico_access_record_ahead_seconds', days * 86_400));
  const phases = [ahead(70), ahead(10), seen(() => ''), ahead(70)];
  expect(alertsAfter(phases)).toEqual([[], ['PorticoRecordPartitionMissing'], [], []]);
  expect(samplesBehind(['PorticoRecordPartitionMissing'], phases)).toMatch(
    /^PorticoRecordPartitionMissing\n {2}portico_access_record_ahead_seconds\{.*\}(\n {4}(6048000|864000|absent) \(16 times\)){4}$/,
  );
});

it('a gateway that answers no scrape is down, and what it last said is not believed', () => {
  const silent = seen(() => null);
  const away = seen(() => gauge('portico_database_usable', 0));
  expect(alertsAfter([away, silent, well])).toEqual([['PorticoDatabaseAway'], ['PorticoDown'], []]);
});
