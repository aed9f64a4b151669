// Components: `mailto:` links (RFC 6068).

/** Encodes the address, which may contain characters with a meaning in URLs, such as `&` or `?`. */
export function mailTo(address: string, subject?: string): string {
  const to = encodeURIComponent(address).replace('%40', '@');
  return `mailto:${to}${subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`}`;
}
