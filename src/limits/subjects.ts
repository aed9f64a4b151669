// Limits: where in Redis the window of a subject is.
import { FORMAT } from './fleet.ts';

/** A subject whose window a Cluster keeps in one place with that of another: one request may count in both. */
export const subjectBeside = (other: string, subject: string): string => `{${other}}:${subject}`;

/**
 * Addresses are subjects of every fleet, so its name is part of the key. The braces make a Cluster place everything about a
 * subject by the subject alone, or by the one that it stands beside.
 */
export function limitKey(fleet: string, subject: string): string {
  return `portico:${FORMAT}:${fleet}:limit:${placed(subject)}`;
}

export const placed = (subject: string): string => (subject.startsWith('{') ? subject : `{${subject}}`);
