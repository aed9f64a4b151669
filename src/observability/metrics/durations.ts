// Metrics: histograms in seconds, with cached series, whose names prom-client computes at each observation.
import type { Histogram, Registry } from 'prom-client';
import { getOrInsert } from '#core/get-or-insert.ts';

/** From 1 ms, the time of a cached response, to 5 s, the timeout of a request. */
const BUCKETS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Labels = Readonly<Record<string, string>>;

/** One set of labels. */
export class Series {
  readonly labels: Labels;
  /** Counts by bucket, not cumulative. Observations beyond the last bucket are only in `count`. */
  readonly counts: number[] = BUCKETS.map(() => 0);
  count = 0;
  sum = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  observe(seconds: number): void {
    this.count += 1;
    this.sum += seconds;
    for (let at = 0; at < BUCKETS.length; at++) {
      if (seconds > (BUCKETS[at] ?? 0)) continue;
      this.counts[at] = (this.counts[at] ?? 0) + 1;
      return;
    }
  }
}

interface Value {
  metricName: string;
  labels: Record<string, string | number>;
  value: number;
}

/** The part of prom-client's metric interface that a registry uses. */
export class Durations {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #series = new Map<string, Series>();

  constructor(name: string, help: string, registry: Registry) {
    this.name = name;
    this.help = help;
    registry.registerMetric(this as unknown as Histogram);
  }

  /** The series of `key`. `labels` is called for a new key only. */
  of(key: string, labels: () => Labels): Series {
    return getOrInsert(this.#series, key, () => new Series(labels()));
  }

  async get() {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: [...this.#series.values()].flatMap((one) => this.#values(one)) };
  }

  #values({ labels, counts, count, sum }: Series): Value[] {
    let below = 0;
    const buckets = BUCKETS.map((le, at): Value => {
      below += counts[at] ?? 0;
      return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${this.name}_sum`, labels: { ...labels }, value: sum },
      { metricName: `${this.name}_count`, labels: { ...labels }, value: count },
    ];
  }
}
