// Mails: HTML and text of a letter from the same parts. Without images and remote content, so that opening it informs
// nobody.
import { escapeHtml } from '#core/html.ts';

export interface Letter {
  subject: string;
  /** Addressee; null if they have not chosen a name. */
  name: string | null;
  paragraphs: readonly string[];
  /** Names and values of the subject matter. */
  facts?: readonly (readonly [name: string, value: string])[];
  action?: { label: string; url: string };
  /** Below the action. */
  closing?: readonly string[];
  /** Why the mail was sent, and how to unsubscribe. */
  footer?: { text: string; link?: { label: string; url: string } };
}

/** The content of a letter, independent of its recipient. */
export type Content = Omit<Letter, 'name' | 'footer'>;

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();

/** Names come from firms and imports: reduces each part to one line, so that no name adds a paragraph or a fact. */
const inLines = ({ subject, paragraphs, facts = [], closing = [], ...rest }: Letter) => ({
  ...rest,
  subject: oneLine(subject),
  paragraphs: paragraphs.map(oneLine),
  facts: facts.map(([name, value]) => [oneLine(name), oneLine(value)] as const),
  closing: closing.map(oneLine),
});

type Lines = ReturnType<typeof inLines>;

const greeting = (name: string | null): string => (name === null ? 'Hello,' : `Dear ${oneLine(name)},`);

export function writeLetter(letter: Letter): Mail {
  const lines = inLines(letter);
  return { subject: lines.subject, text: textOf(lines), html: htmlOf(lines) };
}

function textOf({ name, paragraphs, facts, action, closing, footer }: Lines): string {
  const parts = [
    greeting(name),
    ...paragraphs,
    ...(facts.length === 0 ? [] : [facts.map(([label, value]) => `${label}: ${value}`).join('\n')]),
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    ...closing,
    ...(footer === undefined
      ? []
      : [`-- \n${footer.text}${footer.link === undefined ? '' : `\n${footer.link.label}: ${footer.link.url}`}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/**
 * Dark if the reader's program is in dark mode and supports the media query. Programs without style sheets show the
 * light version.
 */
const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 0; background: #f0f2f2; color: #182020; }
.page { background: #f0f2f2; }
.card { background: #ffffff; border: 1px solid #e4e7e7; border-radius: 8px; overflow-wrap: anywhere; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 28px; }
p { margin: 0 0 16px; }
a { color: #136b62; }
.button { display: inline-block; padding: 12px 20px; border-radius: 6px; background: #136b62; color: #ffffff; text-decoration: none; font-weight: 600; }
.facts { border-top: 1px solid #e4e7e7; margin: 0 0 24px; }
.facts th { text-align: left; font-weight: normal; color: #5d6868; vertical-align: top; padding: 10px 16px 10px 0; border-bottom: 1px solid #e4e7e7; width: 30%; }
.facts td { vertical-align: top; padding: 10px 0; border-bottom: 1px solid #e4e7e7; }
.brand { font-weight: 600; color: #136b62; }
.foot, .foot a { color: #5d6868; font-size: 13px; line-height: 19px; }
@media (prefers-color-scheme: dark) {
  body, .page { background: #12181a !important; color: #e6eaea !important; }
  .card { background: #1c2426 !important; border-color: #353f41 !important; color: #e6eaea !important; }
  h1, p, td { color: #e6eaea; }
  a, .brand { color: #84c3b9 !important; }
  .button { background: #136b62 !important; color: #ffffff !important; }
  .facts, .facts th, .facts td { border-color: #353f41 !important; }
  .facts th, .foot, .foot a { color: #9faaaa !important; }
}
@media (max-width: 480px) {
  .inside { padding: 24px 20px !important; }
  .facts th { display: block; width: auto !important; padding: 8px 0 0 !important; border-bottom: 0 !important; }
  .facts td { display: block; padding: 0 0 8px !important; }
}`;

const FONT =
  "font-family:'Segoe UI',system-ui,-apple-system,Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:24px";

/** A web page in the style of the mails. */
export function writePage(title: string, inside: string, style = `<style>${STYLE}</style>`): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
${style}
</head>
${inside}
</html>
`;
}

function htmlOf({ subject, name, paragraphs, facts, action, closing, footer }: Lines): string {
  const p = (text: string) => `<p>${escapeHtml(text)}</p>`;
  const row = ([label, value]: readonly [string, string]) =>
    `<tr><th scope="row">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`;
  const table = `<table class="facts" width="100%" cellpadding="0" cellspacing="0">${facts.map(row).join('')}</table>`;
  const link = ({ label, url }: { label: string; url: string }, as = '') =>
    `<a${as} href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
  const foot =
    footer === undefined
      ? ''
      : `<p class="foot">${escapeHtml(footer.text)}${footer.link === undefined ? '' : ` ${link(footer.link)}`}</p>`;
  return writePage(
    subject,
    `<body>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="${FONT}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px">
<tr><td style="padding:0 4px 12px"><span class="brand">Portico</span></td></tr>
<tr><td class="card"><div class="inside" style="padding:32px 36px 20px">
<h1>${escapeHtml(subject)}</h1>
${p(greeting(name))}
${paragraphs.map(p).join('\n')}
${facts.length === 0 ? '' : table}
${action === undefined ? '' : `<p style="margin-bottom:24px">${link(action, ' class="button"')}</p>`}
${closing.map(p).join('\n')}
</div></td></tr>
<tr><td style="padding:16px 4px 0">${foot}</td></tr>
</table>
</td></tr></table>
</body>`,
  );
}
