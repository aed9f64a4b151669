// Schema: the events of a key.
import type { NamedKeyEvent } from '#repositories/keys/key-queries.ts';
import { builder, ofFirm } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposed, exposing } from '../../exposed.ts';
import { Actor } from '../consent/actor.ts';

/** A text in the details of an event; null if it is absent or not a text. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

interface Change {
  property: string;
  before: string[];
  after: string[];
}

const PROPERTIES = {
  name: 'name',
  note: 'note',
  expires_at: 'expiresAt',
  allowed_networks: 'allowedNetworks',
} as const;

const KeyChange = builder.objectRef<Change>('KeyChange').implement({
  description: 'A property of a key that was changed.',
  fields: exposing('firm', {
    property: ['String', `${either(Object.values(PROPERTIES).map((name) => `\`${name}\``))}.`],
    before: ['[String]', 'Old values; empty if it was not set.'],
    after: ['[String]', 'New values.'],
  }),
});

function changesOf(details: Record<string, unknown>): Change[] {
  const before = (details.before ?? {}) as Record<string, unknown>;
  return Object.entries(PROPERTIES)
    .filter(([column]) => column in details)
    .map(([column, property]) => ({ property, before: textsOf(before[column]), after: textsOf(details[column]) }));
}

const textsOf = (value: unknown): string[] => [value].flat().filter((text): text is string => typeof text === 'string');

export const KeyEvent = builder.objectRef<NamedKeyEvent>('KeyEvent').implement({
  description: 'An event of a key.',
  fields: (t) => ({
    ...exposed(t, 'firm', {
      keyId: ['ID', 'The key of the event.'],
      at: ['Timestamp', 'When.'],
      actor: [Actor, 'Who did it.'],
      action: ['String', 'create, rotate, revoke, tier or change.'],
    }),
    successor: t.id({
      nullable: true,
      authScopes: ofFirm,
      description: "Rotation: the new key, on the old one's `rotate`.",
      resolve: ({ details }) => textOf(details.successor),
    }),
    predecessor: t.id({
      nullable: true,
      authScopes: ofFirm,
      description: "Rotation: the key it was made from, on the new one's `create`.",
      resolve: ({ details }) => textOf(details.predecessor),
    }),
    overlapMs: t.float({
      nullable: true,
      authScopes: ofFirm,
      description: 'Rotation: milliseconds both keys work.',
      resolve: ({ details }) => (typeof details.overlap_ms === 'number' ? details.overlap_ms : null),
    }),
    tier: t.string({
      nullable: true,
      authScopes: ofFirm,
      description: "For `tier`: the new override; null for the firm's tier.",
      resolve: ({ details }) => textOf(details.tier),
    }),
    changes: t.field({
      type: [KeyChange],
      authScopes: ofFirm,
      description: 'For `change`: what was changed.',
      resolve: ({ action, details }) => (action === 'change' ? changesOf(details) : []),
    }),
  }),
});
