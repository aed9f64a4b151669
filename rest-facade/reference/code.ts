// REST facade, reference: code blocks, with colours for JSON.
import { escapeHtml } from '#core/html.ts';
import { Html, html } from './html.ts';

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g;

export function codeBlock(text: string, language: string): Html {
  const body = language === 'json' ? colouredJson(text) : new Html(escapeHtml(text));
  return html`<pre tabindex="0"><code>${body}</code></pre>`;
}

export const jsonBlock = (value: unknown): Html => codeBlock(JSON.stringify(value, null, 2), 'json');

function colouredJson(text: string): Html {
  let done = 0;
  let coloured = '';
  for (const match of text.matchAll(JSON_TOKEN)) {
    const [token, quoted, colon] = match;
    const kind = quoted === undefined ? 'literal' : colon === undefined ? 'string' : 'key';
    const word = quoted ?? token;
    coloured += escapeHtml(text.slice(done, match.index));
    coloured += `<span class="${kind}">${escapeHtml(word)}</span>${colon ?? ''}`;
    done = match.index + token.length;
  }
  return new Html(coloured + escapeHtml(text.slice(done)));
}
