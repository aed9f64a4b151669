// REST facade, OpenAPI: the prose of the reference, with tables from the definitions that serve requests.
import { readFileSync } from 'node:fs';
import { ERRORS } from '#core/errors.ts';
import { upperFirst } from '#core/first-letter.ts';
import { REMEDIES } from '#core/remedies.ts';
import { SCOPE_MEANINGS, SCOPES } from '#core/scopes.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import type { Reference } from '#gateway/reference.ts';
import { MAX_BODY, MAX_HEADERS, MAX_URL } from '#http/sizes.ts';
import type { Version } from '#versions/change.ts';
import { LIMIT_PER_MINUTE } from '../plants/plants.ts';
import { PORTFOLIO_CODES } from './errors.ts';

const PROSE = new URL('./introduction.md', import.meta.url);

/** `version`: the version described. */
export function introduction(reference: Reference, versions: readonly Version[], version: string): string {
  const codes = (rows: readonly { code: string; name: string }[]) =>
    table(
      ['Code', 'Name'],
      rows.map(({ code, name }) => [`\`${code}\``, name]),
    );
  const figures = Object.entries(TIER_LIMITS).map(([tier, limit]) => [upperFirst(tier), limit.toLocaleString('en')]);
  const fillings: Record<string, string> = {
    scopes: table(
      ['Scope', 'What it lets through'],
      SCOPES.map((scope) => [`\`${scope}\``, SCOPE_MEANINGS[scope]]),
    ),
    versions: table(
      ['Version', 'State'],
      versions.map((one) => [`\`${one.date}\``, stateOf(one)]),
    ),
    tiers: table(['Tier', 'Requests per 60 seconds'], figures),
    changes: versions.map(changesOf).join('\n\n'),
    errors: PORTFOLIO_CODES.map((code) => {
      const { status, type, message } = ERRORS[code];
      return `### \`${code}\`\n\n${status}, \`${type}\`. ${message} ${REMEDIES[code]}`;
    }).join('\n\n'),
    categories: codes(reference.categories),
    valuation_sources: codes(reference.valuationSources),
    document_types: codes(reference.documentTypes),
    max_url: MAX_URL.toLocaleString('en'),
    max_headers: MAX_HEADERS.toLocaleString('en'),
    max_body: MAX_BODY.toLocaleString('en'),
    plant_limit: LIMIT_PER_MINUTE.toLocaleString('en'),
    unauthenticated_limit: String(TIER_LIMITS.sandbox),
    version,
  };
  return readFileSync(PROSE, 'utf8').replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const filling = fillings[name];
    if (filling === undefined) throw new Error(`introduction.md asks for {{${name}}}, which nothing fills`);
    return filling;
  });
}

function stateOf({ retirement }: Version): string {
  return retirement === undefined ? 'Current' : `Deprecated on ${retirement.deprecated}, ends on ${retirement.sunset}`;
}

/** The changes that callers of the previous version need to know. */
function changesOf({ date, changes }: Version): string {
  if (changes.length === 0) return `\`${date}\` is the first version.`;
  return `\`${date}\` changed:\n\n${changes.map(({ description }) => `- ${description}`).join('\n')}`;
}

function table(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}
