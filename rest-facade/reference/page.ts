// REST facade, reference: the whole page: navigation, introduction, endpoints, headers. It needs no script.
import type { OpenApiDocument } from '../openapi.ts';
import { type Endpoint, endpointsOf, type Header } from './document.ts';
import { endpointView } from './endpoint-view.ts';
import { type Html, html } from './html.ts';
import { headingsOf, inlineMarkdown, markdown, slug } from './markdown.ts';

export const STYLE_PATH = '/docs/reference.css';

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%232f6f5e' d='M8 1 1 5v1h14V5zM2 7h2v6H2zm5 0h2v6H7zm5 0h2v6h-2zM1 14h14v1H1z'/%3E%3C/svg%3E";

export function referencePage(document: OpenApiDocument): string {
  const { info, tags } = document;
  const endpoints = endpointsOf(document);
  const groups = tags.map((tag) => ({
    tag,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API reference</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="#content">${info.title}</a> <span>API reference</span> <span class="version">version ${info.version}</span></header>
<nav class="wide" aria-label="Contents">${contents(info.description, groups)}</nav>
<details class="narrow"><summary>Contents</summary><nav aria-label="Contents">${contents(info.description, groups)}</nav></details>
<main id="content">
<article class="prose"><h1>${info.title} API</h1>${markdown(info.description)}</article>
${groups.map(({ tag, endpoints }) => groupView(document, tag, endpoints))}
${headersView(document)}
<footer>The same as data: <a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a>.</footer>
</main>
</body>
</html>
`;
  return page.text;
}

interface Group {
  tag: { name: string; description: string };
  endpoints: Endpoint[];
}

function contents(description: string, groups: Group[]): Html {
  const prose = headingsOf(description).map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`);
  const rest = groups.map(
    ({ tag, endpoints }) =>
      html`<h2>${tag.name}</h2><ul>${endpoints.map(
        ({ method, operation }) =>
          html`<li><a href="#${operation.operationId}">${operation.summary} <span class="method ${method.toLowerCase()}">${method}</span></a></li>`,
      )}</ul>`,
  );
  return html`<h2>Introduction</h2><ul>${prose}</ul>${rest}<h2>More</h2><ul><li><a href="#response-headers">Response headers</a></li><li><a href="/openapi.json">OpenAPI, JSON</a></li><li><a href="/openapi.yaml">OpenAPI, YAML</a></li></ul>`;
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
  return html`<div class="group"><h2 id="response-headers">Response headers</h2><p class="lead">Every answer of both areas says where the caller stands with its limit and which request it was; the others come where they have something to say.</p><ul class="fields wide">${rows}</ul></div>`;
}
