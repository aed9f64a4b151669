// Test support: what processes of the product are given of this one's environment.

/**
 * Where programs are, and where what Node compiled is kept: a process that learns of it only from its own code takes the
 * types out of its first file anew, which is a quarter of what a command costs.
 */
export const CHILD_ENVIRONMENT = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
