// Core: the body of a response of another server, as text of limited size.

/** Throws an Error if it is longer than this many UTF-16 units. */
export async function responseText(response: Response, max: number): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    if (text.length > max) throw new Error('its response is too long');
  }
  return text + decoder.decode();
}
