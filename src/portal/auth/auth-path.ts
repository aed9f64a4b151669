// Portal: the path below which all sign-in routes are.
export const AUTH_PATH = '/portal/auth';
