// Core: how long a password may be, in UTF-16 units.

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;
