// Firm: a first call to paste.

/** An unknown client id is left for the reader to fill in. */
export function curlOf(baseUrl: string, version: string, secret: string, clientId = 'usr_…'): string {
  return [
    `curl -H 'Authorization: Bearer ${secret}' \\`,
    `  -H 'X-Service-Version: ${version}' \\`,
    `  '${baseUrl}/api/v1/assets?client_id=${clientId}'`,
  ].join('\n');
}
