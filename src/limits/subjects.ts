// Limits: keys of windows in Redis.
import { FORMAT } from './fleet.ts';

/** A subject whose window is in the same hash slot of a Cluster as that of `other`: one request can count in both. */
export const subjectBeside = (other: string, subject: string): string => `{${other}}:${subject}`;

/**
 * The fleet is part of the key, because addresses are subjects of every fleet. The braces make a Cluster choose the
 * hash slot by the subject alone, or by the one that it was placed beside.
 */
export function limitKey(fleet: string, subject: string): string {
  return `portico:${FORMAT}:${fleet}:limit:${placed(subject)}`;
}

export const placed = (subject: string): string => (subject.startsWith('{') ? subject : `{${subject}}`);
