// The lifecycle of a grant: every step, from every state, by every actor.

import { describe, expect, it } from 'vitest';
import type { ActorKind } from '#core/actor.ts';
import type { AssetFilter } from '#core/asset-filter.ts';
import { Refusal } from '#core/errors.ts';
import {
  GRANT_STATES,
  GRANT_TRANSITIONS,
  type GrantTerms,
  type GrantTransition,
  isNarrower,
  nextGrantState,
} from '#core/grant-lifecycle.ts';
import { ALL_SCOPES, scopeSet } from '#core/scopes.ts';

const ACTORS: ActorKind[] = ['operator', 'firm_member', 'client', 'system'];

// Repeats the rules of the product, so that they cannot be changed by accident.
const POSSIBLE = new Set([
  '(none) request firm_member → pending',
  '(none) grant client → active',
  '(none) grant operator → active',
  'pending approve client → active',
  'pending decline client → declined',
  'pending withdraw firm_member → withdrawn',
  'active change client → active',
  'active change operator → active',
  'active revoke client → revoked',
  'active revoke operator → revoked',
  'active expire system → expired',
]);

const ALL = [null, ...GRANT_STATES].flatMap((from) =>
  (Object.keys(GRANT_TRANSITIONS) as GrantTransition[]).flatMap((step) => ACTORS.map((by) => ({ from, step, by }))),
);

describe('a step', () => {
  it.each(ALL)('$step from $from by $by', ({ from, step, by }) => {
    const line = [...POSSIBLE].find((entry) => entry.startsWith(`${from ?? '(none)'} ${step} ${by} `));
    if (line !== undefined) {
      expect(nextGrantState(from, step, by)).toBe(line.split('→ ')[1]);
      return;
    }
    const everTheirs = [...POSSIBLE].some((entry) => entry.includes(` ${step} ${by} `));
    const code = everTheirs ? 'invalid_transition' : 'forbidden';
    expect(() => nextGrantState(from, step, by)).toThrow(expect.objectContaining({ code }));
    expect(() => nextGrantState(from, step, by)).toThrow(Refusal);
  });

  it('never leaves a final state', () => {
    const left = Object.values(GRANT_TRANSITIONS).map((rule) => rule.from);
    for (const state of ['revoked', 'expired', 'declined', 'withdrawn']) expect(left).not.toContain(state);
  });
});

describe('an approval', () => {
  const terms = (changes: Partial<GrantTerms> = {}): GrantTerms => ({
    scopes: scopeSet(['registry', 'valuation']),
    filter: { type: 'all' },
    expiresAt: '2026-06-01T00:00:00.000Z',
    ...changes,
  });

  it.each<[string, Partial<GrantTerms>, Partial<GrantTerms>, boolean]>([
    ['of the same terms', {}, {}, true],
    ['of fewer scopes', { scopes: scopeSet(['registry']) }, {}, true],
    ['of more scopes', { scopes: ALL_SCOPES }, {}, false],
    ['of other scopes', { scopes: scopeSet(['estate']) }, {}, false],
    ['until earlier', { expiresAt: '2026-05-31T23:59:59.999Z' }, {}, true],
    ['until later', { expiresAt: '2026-06-01T00:00:00.001Z' }, {}, false],
    ['without an end', { expiresAt: null }, {}, false],
    ['with an end where none was asked for', {}, { expiresAt: null }, true],
    ['without an end where none was asked for', { expiresAt: null }, { expiresAt: null }, true],
  ])('%s', (_name, approved, requested, narrower) => {
    expect(isNarrower(terms(approved), terms(requested))).toBe(narrower);
  });

  const category = (...categories: string[]): AssetFilter => ({ type: 'category', categories });
  const items = (...ids: string[]): AssetFilter => ({ type: 'items', items: ids });
  const collection = (id: string): AssetFilter => ({ type: 'collection', collection: id });

  it.each<[AssetFilter, AssetFilter, boolean]>([
    [category('WT'), { type: 'all' }, true],
    [items('a'), { type: 'all' }, true],
    [collection('a'), { type: 'all' }, true],
    [{ type: 'all' }, category('WT'), false],
    [category('WT'), category('AR', 'WT'), true],
    [category('AR', 'WT'), category('WT'), false],
    [items('a'), category('WT'), false],
    [items('a'), items('a', 'b'), true],
    [items('a', 'b'), items('a'), false],
    [{ type: 'all' }, items('a'), false],
    [collection('a'), collection('a'), true],
    [collection('a'), collection('b'), false],
    [items('a'), collection('a'), false],
    [{ type: 'all' }, collection('a'), false],
  ])('of %j within %j', (approved, requested, narrower) => {
    expect(isNarrower(terms({ filter: approved }), terms({ filter: requested }))).toBe(narrower);
  });
});
