// Client: JSON text as readable lines. Only white space is added: numbers and strings are unchanged.

type TokenKind = 'name' | 'text' | 'number' | 'word' | 'sign';

interface Token {
  kind: TokenKind;
  text: string;
}

interface Line {
  /** Depth of indentation. */
  depth: number;
  tokens: Token[];
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([[\]{},])|\s+|(.)/gsy;

const isOpening = (text: string | undefined): boolean => text === '{' || text === '[';

/** Lines of well-formed JSON. Other text is returned in one piece. */
export function jsonLines(text: string): Line[] {
  const lines: Line[] = [{ depth: 0, tokens: [] }];
  let depth = 0;
  const put = (kind: TokenKind, token: string) => lines.at(-1)?.tokens.push({ kind, text: token });
  const open = () => lines.push({ depth, tokens: [] });
  for (const [, string, colon, number, word, sign, other] of text.matchAll(TOKEN)) {
    if (other !== undefined) return [{ depth: 0, tokens: [{ kind: 'text', text }] }];
    if (sign === undefined) {
      const before = lines.at(-1)?.tokens.at(-1);
      if (string === undefined && number === undefined && word === undefined) continue;
      if (isOpening(before?.text) && before?.kind === 'sign') open();
      if (string !== undefined) put(colon === undefined ? 'text' : 'name', string);
      if (colon !== undefined) put('sign', ': ');
      if (number !== undefined) put('number', number);
      if (word !== undefined) put('word', word);
      continue;
    }
    depth = placeSign(sign, depth, lines);
  }
  return lines;
}

/** Adds a bracket or comma; returns the depth after it. */
function placeSign(sign: string, depth: number, lines: Line[]): number {
  const line = lines.at(-1) as Line;
  const before = line.tokens.at(-1);
  const afterOpening = before?.kind === 'sign' && isOpening(before.text);
  if (sign === ',') {
    line.tokens.push({ kind: 'sign', text: sign });
    lines.push({ depth, tokens: [] });
    return depth;
  }
  if (isOpening(sign)) {
    const target = afterOpening ? { depth, tokens: [] } : line;
    if (afterOpening) lines.push(target);
    target.tokens.push({ kind: 'sign', text: sign });
    return depth + 1;
  }
  const closing = { kind: 'sign' as const, text: sign };
  if (afterOpening) line.tokens.push(closing);
  else lines.push({ depth: depth - 1, tokens: [closing] });
  return depth - 1;
}
