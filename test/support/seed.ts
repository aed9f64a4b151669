// Before each test file: `PORTICO_SEED` repeats the choices of fast-check too.

const seed = process.env.PORTICO_SEED;

if (seed !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(seed) });
}
