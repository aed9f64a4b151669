// Versions: selects a version by the request's header, and converts between it and the newest.
import { Refusal } from '#core/errors.ts';
import type { OperationChange, Query, Version } from './change.ts';

export const VERSION_HEADER = 'X-Service-Version';

/** The version named by the request, supported or not. */
export const namedVersion = (headers: Readonly<Record<string, unknown>>): string | undefined =>
  headers['x-service-version'] as string | undefined;

/** One supported version: its headers, and the conversions to and from the newest version. */
export interface ServedVersion {
  date: string;
  /** `X-Service-Version`, and `Deprecation` and `Sunset` once it is deprecated. */
  headers: Record<string, string>;
  /** Converts this version's parameters to the newest version's. */
  upgradeRequest(operation: string, query: Query): Query;
  /** The name that a parameter of the newest version has in this version, given the caller's query. */
  nameOf(operation: string, query: Query, parameter: string): string;
  /** Converts the newest version's body to this version's. */
  downgradeResponse(operation: string, body: unknown): unknown;
}

export interface Negotiator {
  /** Throws Refusal `missing_version` or `unsupported_version`. */
  negotiate(header: string | undefined): ServedVersion;
  dates: readonly string[];
  /** Oldest first. */
  versions: readonly Version[];
}

const atMidnight = (date: string) => new Date(`${date}T00:00:00Z`);

/** RFC 9745 requires a structured date, RFC 8594 an HTTP date. */
function headersOf({ date, retirement }: Version): Record<string, string> {
  if (retirement === undefined) return { [VERSION_HEADER]: date };
  return {
    [VERSION_HEADER]: date,
    Deprecation: `@${atMidnight(retirement.deprecated).getTime() / 1000}`,
    Sunset: atMidnight(retirement.sunset).toUTCString(),
  };
}

function serve(versions: readonly Version[], index: number): ServedVersion {
  const version = versions[index] as Version;
  const later = versions.slice(index + 1).flatMap(({ changes }) => changes);
  const steps = (operation: string): OperationChange[] => later.flatMap((change) => change.operations[operation] ?? []);
  const upgradeRequest = (operation: string, query: Query) =>
    steps(operation).reduce((given, step) => step.request?.(given) ?? given, query);
  return {
    date: version.date,
    headers: headersOf(version),
    upgradeRequest,
    nameOf(operation, query, parameter) {
      const becomes = (name: string) => upgradeRequest(operation, new Map([[name, query.get(name) ?? []]]));
      return [...query.keys()].find((name) => becomes(name).has(parameter)) ?? parameter;
    },
    downgradeResponse: (operation, body) =>
      steps(operation).reduceRight((newer, step) => step.response?.(newer) ?? newer, body),
  };
}

/** `versions` is ordered oldest first. All other code uses the newest. */
export function createNegotiator(versions: readonly Version[]): Negotiator {
  const served = new Map(versions.map((version, index) => [version.date, serve(versions, index)]));
  const dates = [...served.keys()];
  return {
    dates,
    versions,
    negotiate(header) {
      if (header === undefined || header === '') throw new Refusal('missing_version', { param: VERSION_HEADER });
      const version = served.get(header);
      if (version !== undefined) return version;
      throw new Refusal('unsupported_version', {
        message: `Version "${header.slice(0, 40)}" is not supported. Supported versions: ${dates.join(', ')}.`,
        param: VERSION_HEADER,
      });
    },
  };
}
