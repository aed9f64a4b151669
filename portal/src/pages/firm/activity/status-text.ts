// Firm: HTTP statuses with their names.
const STATUS: Record<number, string> = {
  200: 'OK',
  304: 'Not modified',
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  413: 'Content too large',
  414: 'URI too long',
  429: 'Too many requests',
  431: 'Headers too large',
  500: 'Internal error',
  503: 'Unavailable',
};

export const STATUSES = Object.keys(STATUS).map(Number);

export const statusText = (status: number): string => `${status} ${STATUS[status] ?? ''}`.trim();
