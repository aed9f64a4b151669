// Command line: parsers of options. A wrong value ends in exit code 2 and a message with the correct form.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { Refusal } from '#core/errors.ts';
import { ID_PREFIXES, type IdKind, isId, isRegistryId } from '#core/ids.ts';
import { readNetwork } from '#core/networks.ts';
import { DAY_MS, parseTimestamp, toTimestamp } from '#core/timestamps.ts';
import { requireEmail, requireName, requireNote, requireReason } from '#repositories/input-checks.ts';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };
const DURATION = /^(\d{1,9})([smhd])$/;

/** An option that takes one of `values`. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values);
}

/** Parser for an option that the repositories validate: their refusal becomes wrong usage. */
const checked =
  <Read extends string>(check: (text: string) => Read) =>
  (text: string): Read => {
    try {
      return check(text);
    } catch (error) {
      throw error instanceof Refusal ? new InvalidArgumentError(error.message) : error;
    }
  };

export const parseEmail = checked(requireEmail);
export const parseName = checked((text) => requireName(text, 'name'));
export const parseAccount = checked((text) => requireName(text, 'account'));
export const parseReason = checked(requireReason);
export const parseNote = checked((text) => requireNote(text) ?? '');

/** Options for an override of a limit. */
export interface OccasionOptions {
  reason: string;
  expires?: string;
}

/** Adds the options for reason and end. */
export function withOccasion(command: Command): Command {
  return command
    .option('--reason <text>', 'why, for the record', parseReason, 'No reason given')
    .addOption(expiresOption());
}

export const occasionOf = ({ reason, expires }: OccasionOptions) => ({ reason, endsAt: expires ?? null });

/** As part of a sentence. */
export const untilText = (expires: string | undefined): string => (expires === undefined ? '' : ` until ${expires}`);

export function expiresOption(): Option {
  return new Option(
    '--expires <time>',
    'RFC 3339 timestamp, or a duration from now such as 90s, 30m, 24h, 30d',
  ).argParser(parseExpiry);
}

/** Value that unsets an option. */
export const NONE = 'none';

/** The same for an expiry. The parser returns the word, because commander would turn null into an empty text. */
export const NEVER = 'never';
export const parseExpiryOrNever = (text: string): string => (text === NEVER ? text : parseExpiry(text));

export function networksOption(): Option {
  return new Option(
    '--networks <list>',
    `comma-separated addresses and CIDR ranges that it may be used from; ${NONE}: from anywhere`,
  ).argParser((text) => (text === NONE ? [] : text.split(',').map(parseNetwork)));
}

function parseNetwork(text: string): string {
  const network = readNetwork(text);
  if (network === null)
    throw new InvalidArgumentError(
      `"${text.trim()}" is not an address or a CIDR range such as 203.0.113.0/24 or 2001:db8::/32.`,
    );
  return network;
}

/** For ids that other systems already know. */
export function idOption(kind: IdKind): Option {
  const form = `${ID_PREFIXES[kind]}_ and a ULID`;
  return new Option('--id <id>', `an id of your choice: ${form}`).argParser((text) => {
    if (!isId(kind, text)) throw new InvalidArgumentError(`It is not ${form}.`);
    return text;
  });
}

/** In milliseconds. */
export function parseDuration(text: string): number {
  const ms = readDuration(text);
  if (ms === null) throw new InvalidArgumentError('A duration is a whole number with its unit: 90s, 30m, 24h.');
  return ms;
}

/** An RFC 3339 timestamp, or a duration from now; in UTC with milliseconds. */
function parseExpiry(text: string): string {
  const duration = readDuration(text);
  const instant = duration === null ? parseTimestamp(text) : toTimestamp(Date.now() + duration);
  if (instant === null) throw new InvalidArgumentError('It is neither an RFC 3339 timestamp nor a duration like 30m.');
  return requireFuture(instant);
}

function requireFuture(instant: string): string {
  if (instant <= toTimestamp(Date.now())) throw new InvalidArgumentError('It is not in the future.');
  return instant;
}

export function parseInstant(text: string): string {
  const instant = parseTimestamp(text);
  if (instant === null) throw new InvalidArgumentError('It is not an RFC 3339 timestamp like 2026-01-15T10:00:00Z.');
  return instant;
}

export const parseFutureInstant = (text: string): string => requireFuture(parseInstant(text));

export function parseRegistryId(text: string): string {
  if (!isRegistryId(text))
    throw new InvalidArgumentError('It is not a registry id like PTC-WT-01K6A0C2E4G6J8M0P2R4T6W8Y0.');
  return text;
}

export const countUpTo =
  (max: number) =>
  (text: string): number => {
    if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > max)
      throw new InvalidArgumentError(`It is not a whole number from 1 to ${max}.`);
    return Number(text);
  };

export const parseCount = countUpTo(999_999_999);

function readDuration(text: string): number | null {
  const [, count = '', unit = ''] = DURATION.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  // Timestamps cannot exceed the year 9999.
  return ms === undefined || Number(count) * ms > 1_000 * 365 * DAY_MS ? null : Number(count) * ms;
}
