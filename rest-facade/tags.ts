// REST facade: the groups of endpoints in the reference, in its order.

export const TAGS = [
  { name: 'Assets', description: "A client's items, as far as the grant lets them be seen." },
  { name: 'Valuations', description: 'What an item was valued at, by whom and when.' },
  { name: 'Documents', description: 'Metadata of the documents of an item, and how complete they are.' },
  { name: 'Portfolio', description: 'The portfolio as a whole.' },
  { name: 'Plant store', description: 'A small store of plants, with a token and a form of errors of its own.' },
] as const;

export type Tag = (typeof TAGS)[number]['name'];
