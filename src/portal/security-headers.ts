// Portal: headers that isolate its pages: no foreign code runs in them, no site frames them, and none learns their
// addresses.

/** Allows only the portal's own scripts and styles; `nonce` marks styles that components write at run time. */
export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const PERMISSIONS = ['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'magnetometer'];
const NO_PERMISSIONS = [...PERMISSIONS, 'microphone', 'midi', 'payment', 'usb'].map((name) => `${name}=()`).join(', ');
/** Only the portal's own pages may use passkeys. */
const PASSKEYS = 'publickey-credentials-get=(self), publickey-credentials-create=(self)';

/** For every response below `/portal`. `https` enables the promise to browsers that it stays on HTTPS. */
export function secureHeaders(https: boolean): Record<string, string> {
  return {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': `${NO_PERMISSIONS}, ${PASSKEYS}`,
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(https ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/** For responses that are not pages. */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};
