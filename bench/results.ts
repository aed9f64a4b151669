// Bench: computes the reported figures from slices.
import { FLOOR } from './contestants.ts';
import type { Measured, Slice } from './measure.ts';

export interface Quartiles {
  median: number;
  q1: number;
  q3: number;
}

export interface Result {
  work: string;
  contestant: string;
  concurrency: number;
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  cpuSecondsPer1000: number;
  postgresCpuSecondsPer1000: number;
  rssMb: number;
  /** The floor's CPU per request divided by the contestant's, in the same round; above 1 means faster. */
  ratioToFloor: Quartiles;
}

/** `measured`: the cells of one heat, including the floor. */
export function resultsOf(measured: Measured[]): Result[] {
  return measured.map(({ cell, slices, rssMb }) => {
    const floor = measured.find(
      (other) =>
        other.cell.running.contestant.name === FLOOR &&
        other.cell.work === cell.work &&
        other.cell.concurrency === cell.concurrency,
    );
    const latencies = slices.flatMap((slice) => [...slice.latencies]).sort((one, other) => one - other);
    const sum = (value: (slice: Slice) => number) => slices.reduce((total, slice) => total + value(slice), 0);
    const requests = sum((slice) => slice.requests);
    const thousand = (cpu: (slice: Slice) => number) =>
      round((1000 * sum((slice) => cpu(slice) * slice.requests)) / requests, 4);
    return {
      work: cell.work.name,
      contestant: cell.running.contestant.name,
      concurrency: cell.concurrency,
      requestsPerSecond: round(requests / sum((slice) => slice.seconds), 1),
      p50: round(quantile(latencies, 0.5), 3),
      p99: round(quantile(latencies, 0.99), 3),
      cpuSecondsPer1000: thousand((slice) => slice.gateway),
      postgresCpuSecondsPer1000: thousand((slice) => slice.postgres),
      rssMb: round(rssMb, 0),
      ratioToFloor: quartiles(ratios(slices, floor?.slices ?? [])),
    };
  });
}

function ratios(slices: Slice[], floor: Slice[]): number[] {
  return slices.flatMap(({ round, gateway }) => {
    const measure = floor.find((slice) => slice.round === round);
    return measure === undefined ? [] : [measure.gateway / gateway];
  });
}

function quartiles(values: number[]): Quartiles {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (part: number) => round(quantile(sorted, part), 3);
  return { median: at(0.5), q1: at(0.25), q3: at(0.75) };
}

/** Interpolates linearly between neighbours; NaN for no values. */
export function quantile(sorted: number[], part: number): number {
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export const round = (value: number, digits: number): number => Number(value.toFixed(digits));
