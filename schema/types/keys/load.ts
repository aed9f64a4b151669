// Schema: the current use of a limit, visible to the firm for its own keys and to operations for all.

export const LOAD = {
  limit: ['Int', 'Requests in any 60 seconds.'],
  used: ['Int', 'Requests counted in the last 60 seconds.'],
  remaining: ['Int', 'Requests left.'],
  refused: ['Int', 'Requests refused by the limit in about the last 60 seconds.'],
  near: ['Boolean', 'Whether 80 % or more of the limit is used.'],
} as const;
