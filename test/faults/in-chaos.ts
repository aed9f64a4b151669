// Whether this is `npm run chaos`.
export const inChaos = process.env.CHAOS !== undefined;
