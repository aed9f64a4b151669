// Client: a partner's response as cards: for each item what is shown, in plain words, and what is not. Derived only
// from the response: what it lacks is not shown.

import { lowerFirst, upperFirst } from '#core/first-letter.ts';
import { SCOPES, type Scope } from '#core/scopes.ts';
import { LOCALE } from '../../../components/locale.ts';
import { countOf } from '../../../components/numbers.tsx';
import { dateText, dayText } from '../../../components/time.tsx';
import { refusedText, scopesText } from '../plain-words.ts';
import type { PreviewEndpoint } from './requests.ts';

export interface Card {
  id: string;
  /** Null if the response has no title. */
  title: string | null;
  /** Shown prominently: an amount. */
  value: string | null;
  facts: [name: string, value: string][];
  /** Scopes without any data in the response. */
  hidden: Scope[];
}

interface Money {
  amount: string;
  currency: string;
}

type Json = Record<string, unknown>;

/**
 * A field for each scope whose presence shows that the scope is granted: fields outside the scopes are absent, not
 * empty.
 */
const SIGNS: Record<Scope, string> = {
  registry: 'title',
  valuation: 'market_value',
  detail: 'storage_location',
  category_detail: 'category_fields',
  documentation: 'documentation',
  estate: 'estate',
  verification: 'verification',
};

/** `Hidden: who inherits it and how it was verified`, or that nothing is. */
export const hiddenText = (hidden: readonly Scope[]): string =>
  hidden.length === 0 ? 'Nothing of it is hidden' : `Hidden: ${lowerFirst(scopesText(hidden))}`;

export interface Cards {
  cards: Card[];
  /** The text above the cards. */
  head: string;
}

/** Null if the response is a refusal. `nameOf`: a category's name by its code. */
export function cardsOf(endpoint: PreviewEndpoint, text: string, nameOf: (code: string) => string): Cards | null {
  const body = JSON.parse(text) as { data?: Json | Json[]; pagination?: { total_items: number }; error?: unknown };
  if (body.data === undefined) return null;
  const rows = Array.isArray(body.data) ? body.data : [body.data];
  const total = body.pagination?.total_items ?? rows.length;
  switch (endpoint) {
    case 'assets':
      return { head: `${countOf(total, 'item')} in all`, cards: rows.map((row, at) => itemCard(row, at, nameOf)) };
    case 'asset':
      return { head: 'All that they read of it', cards: rows.map((row, at) => itemCard(row, at, nameOf)) };
    case 'valuations':
      return { head: countOf(total, 'valuation'), cards: rows.map(valuationCard) };
    case 'documents':
      return { head: countOf(rows.length, 'paper'), cards: rows.map(paperCard) };
    case 'summary':
      return { head: 'The portfolio as a whole', cards: rows.map(summaryCard) };
    default:
      return endpoint satisfies never;
  }
}

/** Why there is nothing to show. */
export const refusalOf = (text: string): string =>
  refusedText((JSON.parse(text) as { error?: { code: string } }).error?.code ?? null);

/** Labels of fields whose names are unclear. Others are derived from the name. */
const LABELS: Record<string, string> = {
  ...{ category: 'Kind', quantity: 'How many', created_at: 'Recorded', updated_at: 'Changed', registry_id: 'Number' },
  ...{
    market_value_as_of: 'Valued',
    purchase_price: 'Bought for',
    purchased_on: 'Bought',
    insurance_value: 'Insured for',
  },
  ...{ description: 'What it is', storage_location: 'Kept', seller: 'Bought from', notes: 'Your notes' },
  ...{ documentation: 'Papers', verification: 'Verified', estate: 'Inherited', valued_at: 'On', appraiser: 'By' },
  ...{ type: 'Kind', issued_on: 'Issued', expires_on: 'Valid until', issuer: 'Issued by', item_count: 'Items' },
  ...{ documentation_completeness: 'Papers', heirs: 'Heirs', share_links: 'Share links', readiness: 'Readiness' },
};

/** Relevant for programs only. */
const SILENT: readonly string[] = ['id', 'client_id', 'as_of'];

/** All fields that the card does not show elsewhere, so that it hides nothing. Empty ones are omitted. */
function factsOf(row: Json, elsewhere: readonly string[]): Card['facts'] {
  return Object.entries(row).flatMap(([name, value]): Card['facts'] => {
    if (SILENT.includes(name) || elsewhere.includes(name)) return [];
    // The fields of the category are listed among the others.
    if (name === 'category_fields') return factsOf((value ?? {}) as Json, []);
    if (name === 'estate') return factsOf(value as Json, []);
    const words = plain(value);
    return words === '' ? [] : [[LABELS[name] ?? spoken(name), words]];
  });
}

function itemCard(item: Json, at: number, nameOf: (code: string) => string): Card {
  const { category } = item;
  const named = typeof category === 'string' ? { ...item, category: nameOf(category) } : item;
  return {
    id: String(item.registry_id ?? at),
    title: typeof item.title === 'string' ? item.title : null,
    value: amountOf(item, 'market_value'),
    facts: factsOf(named, ['title', 'market_value']),
    hidden: SCOPES.filter((scope) => !(SIGNS[scope] in item)),
  };
}

function valuationCard(valuation: Json, at: number): Card {
  return {
    id: String(valuation.id ?? at),
    title: spoken(String(valuation.source)),
    value: amountOf(valuation, 'value'),
    facts: factsOf(valuation, ['source', 'value']),
    hidden: 'registry_id' in valuation ? [] : ['registry'],
  };
}

function paperCard(paper: Json, at: number): Card {
  return {
    id: String(paper.id ?? at),
    title: typeof paper.title === 'string' ? paper.title : spoken(String(paper.type)),
    value: null,
    facts: factsOf({ ...paper, type: spoken(String(paper.type)) }, ['title']),
    hidden: 'registry_id' in paper ? [] : ['registry'],
  };
}

function summaryCard(summary: Json): Card {
  const categories = ((summary.categories ?? []) as Json[]).map(
    ({ name, item_count, total_value }): Card['facts'][number] => [
      String(name),
      [countOf(Number(item_count), 'item'), plain(total_value)].filter((words) => words !== '').join(', '),
    ],
  );
  const has: Partial<Record<Scope, boolean>> = {
    registry: 'item_count' in summary,
    valuation: 'total_value' in summary,
    documentation: 'documentation_completeness' in summary,
  };
  return {
    id: 'summary',
    title: 'Portfolio',
    value: amountOf(summary, 'total_value'),
    facts: [...factsOf(summary, ['categories', 'total_value']), ...categories],
    hidden: SCOPES.filter((scope) => has[scope] === false),
  };
}

const amountOf = (row: Json, field: string): string | null =>
  field in row ? plain(row[field]) || 'No value known' : null;

const isMoney = (value: object): value is Money => 'amount' in value && 'currency' in value;

const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** Codes of the API, such as `purchase_receipt`. */
const CODE = /^[a-z]+(?:_[a-z]+)+$/;

/** Any value in words; empty for none. */
function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 4, useGrouping: false }).format(value);
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) return value.map(plain).join(value.some((one) => typeof one === 'object') ? '; ' : ', ');
  if (isMoney(value))
    // Amounts stay decimal text, and so exact.
    return new Intl.NumberFormat(LOCALE, { style: 'currency', currency: value.currency }).format(value.amount as never);
  const parts = Object.entries(value).filter(([name, part]) => !SILENT.includes(name) && plain(part) !== '');
  return parts.map(partText).join(parts.some(([, part]) => Array.isArray(part)) ? '; ' : ', ');
}

function partText([name, part]: [string, unknown]): string {
  if (name === 'name' || name === 'label') return plain(part);
  if (name === 'score') return `${plain(part)} % complete`;
  return `${lowerFirst(spoken(name))}${Array.isArray(part) ? ':' : ''} ${plain(part)}`;
}

function textOf(text: string): string {
  if (TIMESTAMP.test(text)) return dateText(text);
  if (DAY.test(text)) return dayText(text);
  return CODE.test(text) ? lowerFirst(spoken(text)) : text;
}

/** `Purchase receipt` for `purchase_receipt`. */
const spoken = (code: string): string => upperFirst(code.replaceAll('_', ' '));
