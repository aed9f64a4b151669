// Bench: sentences that set two rows of the table beside each other.
import type { Result } from './results.ts';

export function comparisons(results: readonly Result[]): string[] {
  const find = (work: string, contestant: string) =>
    results.find((each) => each.work === work && each.contestant === contestant && each.concurrency === 48);
  const sentences: string[] = [];
  const compare = (one: Result | undefined, other: Result | undefined, say: (a: Result, b: Result) => string) => {
    if (one !== undefined && other !== undefined) sentences.push(say(one, other));
  };
  compare(
    find('deep-page', 'portico-rest'),
    find('first-page-10k', 'portico-rest'),
    (deep, first) =>
      `Page 400 of 10,000 assets has ${times(deep.p50 / first.p50)} the p50 of page 1 (${deep.p50.toFixed(1)} and ${first.p50.toFixed(1)} ms).`,
  );
  compare(
    find('list', 'portico-graphql'),
    find('list', 'naive-yoga'),
    (ours, yoga) =>
      `The list by GraphQL over HTTP, parsed and validated afresh: Yoga with the naive schema takes ${times(yoga.cpuSecondsPer1000 / ours.cpuSecondsPer1000)} the product's CPU.`,
  );
  compare(find('summary-10k', 'portico-rest'), find('summary-10k', 'summary-plain'), (ours, plain) => {
    const cpu = (of: Result) => of.cpuSecondsPer1000 + of.postgresCpuSecondsPer1000;
    return `The summary of 10,000 assets: without the covering index gateway and PostgreSQL take ${times(cpu(plain) / cpu(ours))} the product's CPU.`;
  });
  return sentences;
}

const times = (factor: number) => `${factor.toFixed(2)} times`;
