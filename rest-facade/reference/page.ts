// REST facade, reference: the page: navigation, introduction, endpoints, headers. Its script adds search, copying and
// the choice of a language; the content is complete without it.
import type { OpenApiDocument } from '../openapi.ts';
import { ASSETS } from './assets.ts';
import { type Endpoint, endpointsOf, type Header } from './document.ts';
import { endpointView } from './endpoint-view.ts';
import { Html, html } from './html.ts';
import { headingsOf, inlineMarkdown, markdown, slug } from './markdown.ts';

/** The portal's logo. */
const MARK = new Html(
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2.5 22 8v2H2V8l10-5.5ZM4 11.5h2.5v7H4v-7Zm6.75 0h2.5v7h-2.5v-7Zm6.75 0H20v7h-2.5v-7ZM2 20h20v2H2v-2Z"/></svg>',
);
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%23136b62'/%3E%3Cpath fill='%23fff' d='M16 6 27 12v2.5H5V12L16 6Zm-8 11h3v7H8v-7Zm6.5 0h3v7h-3v-7ZM21 17h3v7h-3v-7ZM5 25.5h22V28H5v-2.5Z'/%3E%3C/svg%3E";

interface Group {
  tag: { name: string; description: string };
  endpoints: Endpoint[];
}

/** `dates`: all versions, oldest first. */
export function referencePage(document: OpenApiDocument, dates: readonly string[]): string {
  const { info, tags } = document;
  const endpoints = endpointsOf(document);
  const groups = tags.map((tag) => ({
    tag,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const named = info.version === dates.at(-1) ? '' : `?version=${info.version}`;
  const list = contents(info.description, groups, named);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API reference, version ${info.version}</title>
<link rel="icon" href="${ICON}">
<link rel="preload" href="${ASSETS.font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${ASSETS.style}">
<script src="${ASSETS.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="#content">${MARK}${info.title}</a> <span class="about">API reference</span> ${versionsView(info.version, dates)}<a class="portal" href="/portal/">Portal</a></header>
<nav class="wide" aria-label="Contents">${list}</nav>
<details class="narrow"><summary>Contents</summary><nav aria-label="Contents, folded">${list}</nav></details>
<main id="content" tabindex="-1">
<article class="prose"><h1>${info.title} API</h1>${markdown(info.description)}</article>
${groups.map(({ tag, endpoints }) => groupView(document, tag, endpoints))}
${headersView(document)}
<footer>The same as data: <a href="/openapi.json${named}">openapi.json</a>, <a href="/openapi.yaml${named}">openapi.yaml</a>.</footer>
</main>
</body>
</html>
`;
  return page.text;
}

/** Links to the page of each version. */
function versionsView(version: string, dates: readonly string[]): Html {
  const newest = dates.at(-1);
  const entries = dates.toReversed().map((date) => {
    const current = date === version ? new Html(' aria-current="page"') : null;
    const target = date === newest ? '/docs' : `/docs?version=${date}`;
    return html`<li><a href="${target}"${current}>${date}${date === newest && ' (newest)'}</a></li>`;
  });
  return html`<details class="versions"><summary>Version ${version}</summary><ul>${entries}</ul></details>`;
}

function contents(description: string, groups: Group[], named: string): Html {
  const prose = headingsOf(description).map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`);
  const rest = groups.map(
    ({ tag, endpoints }) =>
      html`<h2>${tag.name}</h2><ul>${endpoints.map(
        ({ method, operation }) =>
          html`<li><a href="#${operation.operationId}">${operation.summary} <span class="method ${method.toLowerCase()}">${method}</span></a></li>`,
      )}</ul>`,
  );
  return html`<h2>Introduction</h2><ul>${prose}</ul>${rest}<h2>More</h2><ul><li><a href="#response-headers">Response headers</a></li><li><a href="/openapi.json${named}">OpenAPI, JSON</a></li><li><a href="/openapi.yaml${named}">OpenAPI, YAML</a></li></ul>`;
}

function groupView(document: OpenApiDocument, tag: Group['tag'], endpoints: Endpoint[]): Html {
  return html`<div class="group"><h2 id="${slug(tag.name)}-endpoints">${tag.name}</h2><p class="lead">${tag.description}</p>${endpoints.map(
    (endpoint) => endpointView(document, endpoint),
  )}</div>`;
}

function headersView({ components }: OpenApiDocument): Html {
  const rows = Object.entries(components.headers as unknown as Record<string, Header>).map(
    ([name, { description, example }]) =>
      html`<li><div class="field"><code class="name">${name}</code></div><p>${inlineMarkdown(description)}</p><p class="codes"><code>${example}</code></p></li>`,
  );
  return html`<div class="group"><h2 id="response-headers">Response headers</h2><p class="lead">Every answer says where the caller stands with its limit and which request it was; the others come where they have something to say.</p><ul class="fields wide">${rows}</ul></div>`;
}
