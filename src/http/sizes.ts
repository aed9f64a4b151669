// HTTP: the most that a request may measure; partners read these in the reference.

/** Of a request target, in characters. */
export const MAX_URL = 8_192;
/** Of all headers together, in bytes. */
export const MAX_HEADERS = 16_384;
/** Of a body of the API, in bytes. */
export const MAX_BODY = 65_536;
