// Core: how far the calls under a grant are counted.

/** A grant may have millions of calls in 30 days, too many to count whenever it is shown. More are `more than` this. */
export const MAX_COUNTED_CALLS = 10_000;
