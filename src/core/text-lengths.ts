// Core: which characters texts that people write may have, and how many. Forms count UTF-16 units, of which a text
// has as many as characters or more, so that no form allows what the server refuses.

/**
 * Characters that nobody sees and that terminals obey. Names and lines have none. The last two ranges change the
 * direction of the text around them.
 */
export const CONTROL_CHARACTER = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** Names of people, keys, firms and service tokens. */
export const MAX_NAME = 200;
/** Suffix of each test client's name, so that it is shown wherever the name is. */
export const TEST_MARK = ' (test client)';
/** The part of a test client's name that its firm chooses. */
export const MAX_TEST_CLIENT_NAME = MAX_NAME - TEST_MARK.length;
export const MAX_PASSKEY_NAME = 60;
/** In UTF-16 units. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;
export const MAX_EMAIL = 254;
/** Whom a request for a grant addresses: an id, an e-mail address, or any other text. */
export const MAX_ADDRESSEE = 320;
/** What a request for a grant is for. */
export const MAX_PURPOSE = 2_000;
/** A firm's note on its key. */
export const MAX_NOTE = 2_000;
/** Why staff or an administrator did something. */
export const MAX_REASON = 500;

/** A firm's address and contact details. */
export const MAX_ADDRESS = 500;
export const MAX_WEBSITE = 200;
export const MAX_PHONE = 40;
