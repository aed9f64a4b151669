// Schema: how much of a limit is in use, for each of those who may look: a firm at its own, operations at all.

export const LOAD = {
  limit: ['Int', 'Requests in any 60 seconds.'],
  used: ['Int', 'Counted in the last 60 seconds.'],
  remaining: ['Int', 'What is left of it.'],
  refused: ['Int', 'Refused by the limit in about the last 60 seconds.'],
  near: ['Boolean', 'At 80 % or more of the limit.'],
} as const;
