// Set-up of each test file: seeds fast-check with `PORTICO_SEED`, if it is set.

const seed = process.env.PORTICO_SEED;

if (seed !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(seed) });
}
