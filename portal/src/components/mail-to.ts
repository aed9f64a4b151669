// Components: links by which a mail is begun (RFC 6068).

/** An address may hold what means something in a URL, such as `&` or `?`. */
export function mailTo(address: string, subject?: string): string {
  const to = encodeURIComponent(address).replace('%40', '@');
  return `mailto:${to}${subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`}`;
}
