// Whether the tests run in `npm run chaos`.
export const inChaos = process.env.CHAOS !== undefined;
