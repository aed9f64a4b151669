// Test support: reads the metrics of a gateway in the format of Prometheus.

/** The exposition of the internal listener at this address. */
export async function scrape(internalUrl: string): Promise<string> {
  const answer = await fetch(`${internalUrl}/metrics`);
  if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`);
  return answer.text();
}

/** The sum of all series of this name that have these labels. */
export function sampleOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, found, inside = '', value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const has = Object.entries(labels).every(([label, wanted]) => `,${inside}`.includes(`,${label}="${wanted}"`));
    if (found === name && has) sum += Number(value);
  }
  return sum;
}

/** The names of all metrics and series in it. */
export function namesIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, declared, sampled] of text.matchAll(/^(?:# TYPE (\S+) |([a-zA-Z_:]\w*)[{ ])/gm))
    names.add(declared ?? sampled ?? '');
  return names;
}
