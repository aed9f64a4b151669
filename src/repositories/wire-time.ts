// Repositories: instants inside JSON, where no parser of the driver reads them.

/** SQL for an instant as the wire has it: RFC 3339 in UTC, with milliseconds. */
export const wireTime = (instant: string): string =>
  `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
