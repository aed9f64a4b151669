// REST facade, reference: Markdown to HTML. The text is our own; HTML in it is escaped.
import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '#core/html.ts';
import { errorAnchor } from '#core/remedies.ts';
import { codeBlock } from './code.ts';
import { Html } from './html.ts';

export interface Heading {
  id: string;
  text: string;
}

/** The fragment for a heading. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Errors have the fragments that the portal links to. */
const anchorOf = (heading: string): string => errorAnchor(heading.replaceAll('`', '')) ?? slug(heading);

const marked = new Marked({
  renderer: {
    heading({ text, depth, tokens }: Tokens.Heading) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text, lang }: Tokens.Code) {
      return codeBlock(text, lang ?? '').text;
    },
    html({ text }: Tokens.HTML | Tokens.Tag) {
      return escapeHtml(text);
    },
  },
  hooks: {
    // Lets a table scroll on a narrow screen, also by keyboard.
    postprocess: (text) =>
      text
        .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
        .replaceAll('</table>', '</table></div>'),
  },
});

export function markdown(text: string): Html {
  return new Html(marked.parse(text, { async: false }));
}

/** Without an enclosing paragraph. */
export function inlineMarkdown(text: string): Html {
  return new Html(marked.parseInline(text, { async: false }));
}

/** The second-level headings, for the navigation. */
export function headingsOf(text: string): Heading[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => ({ id: slug(heading), text: heading }));
}
