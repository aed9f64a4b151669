// REST facade, reference: HTML as tagged templates, which escape values that are not HTML.
import { escapeHtml } from '#core/html.ts';

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[] | null | false;

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, literal, index) => text + written(parts[index - 1] ?? null) + literal));
}

function written(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(written).join('');
  return escapeHtml(String(part));
}
