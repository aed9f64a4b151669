// Core: how long an action in the portal may take. The page reports one as not done only after both limits.

/** Maximum delay of the request; the server refuses one that arrives later. */
export const ARRIVES_MS = 10_000;
/** Maximum time for the server to process it. An action without a result by then was not done, and will not be. */
export const WORKS_MS = 15_000;
