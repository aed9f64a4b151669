// Core: why a server's certificate was not accepted.

const CODES = new Set([
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_SIGNATURE_FAILURE', 'CERT_UNTRUSTED'],
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID'],
]);

/** The error's message, marked as a certificate problem where it is one. */
export function describeFailure(error: Error): string {
  const { code } = error as { code?: string };
  return code !== undefined && CODES.has(code) ? `its certificate is not accepted: ${error.message}` : error.message;
}
