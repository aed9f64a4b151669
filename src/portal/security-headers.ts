// Portal: the headers that keep its pages to themselves: nothing foreign runs in them, frames them or learns of them.

/** No script or style but the portal's own; `nonce` marks the styles that the components write at run time. */
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
/** The portal's own pages ask for passkeys. */
const PASSKEYS = 'publickey-credentials-get=(self), publickey-credentials-create=(self)';

/** Of every answer below `/portal`. `https` promises browsers that it stays so. */
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

/** Of answers that are no pages. */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};
