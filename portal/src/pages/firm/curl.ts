// Firm: a first call, ready to paste.

/** The client's id is for the reader to put in where it is not known. */
export function curlOf(baseUrl: string, version: string, secret: string, clientId = 'usr_…'): string {
  return [
    `curl -H 'Authorization: Bearer ${secret}' \\`,
    `  -H 'X-Service-Version: ${version}' \\`,
    `  '${baseUrl}/api/v1/assets?client_id=${clientId}'`,
  ].join('\n');
}
