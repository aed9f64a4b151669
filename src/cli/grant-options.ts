// Command line: options for scopes and filter of a grant or a key.
import { InvalidArgumentError, Option } from 'commander';
import { type AssetFilter, parseAssetFilter } from '#core/asset-filter.ts';
import { ALL_SCOPES, isScope, SCOPES, type ScopeSet, scopeSet, scopesOf } from '#core/scopes.ts';

export function scopesOption(): Option {
  return new Option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}; or all`).argParser(parseScopes);
}

export function filterOption(): Option {
  const example = '{"type":"category","categories":["WT"]}';
  return new Option('--filter <json>', `which items, e.g. ${example}`).argParser(parseFilter);
}

function parseScopes(text: string): ScopeSet {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => name !== 'all' && !isScope(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is not one of ${SCOPES.join(', ')}, all.`);
  return names.includes('all') ? ALL_SCOPES : scopeSet(names.filter(isScope));
}

/** In the form that parseScopes reads. */
export function writeScopes(scopes: ScopeSet): string {
  return scopes === ALL_SCOPES ? 'all' : scopesOf(scopes).join(',');
}

function parseFilter(text: string): AssetFilter {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It is not JSON.');
  }
  const filter = parseAssetFilter(value);
  if (typeof filter === 'string') throw new InvalidArgumentError(`${filter}.`);
  return filter;
}
