// Metrics: histograms of seconds. prom-client works out the name of a series at each observation; here it is kept.
import type { Histogram, Registry } from 'prom-client';
import { getOrInsert } from '#core/get-or-insert.ts';

/** From 1 ms, which a kept response takes, to the 5 s after which a request is given up. */
const BUCKETS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Labels = Readonly<Record<string, string>>;

/** One set of labels. */
export class Series {
  readonly labels: Labels;
  /** By bucket, none of them including the one before; beyond the last bucket only `count` knows. */
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

/** As much of a metric as a registry asks for. */
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

  /** The series of `key`, which stands for the labels that `labels` gives when it is seen first. */
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
