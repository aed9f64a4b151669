// Schema: the current use of a limit, visible to the firm for its own keys and to operations for all.

export const LOAD = {
  limit: ['Int', 'Requests in any 60 seconds.'],
  used: ['Int', 'Counted in the last 60 seconds.'],
  remaining: ['Int', 'What is left of it.'],
  refused: ['Int', 'Refused by the limit in about the last 60 seconds.'],
  near: ['Boolean', 'At 80 % or more of the limit.'],
} as const;
