// Core: periods in days on which several layers rely.

/** How long the link of an invitation is valid. */
export const INVITATION_DAYS = 7;
/** How long before its end a grant counts as ending soon, and its client is notified. */
export const EXPIRING_DAYS = 7;
