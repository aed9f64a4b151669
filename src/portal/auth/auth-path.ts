// Portal: where everything about signing in is.
export const AUTH_PATH = '/portal/auth';
