// REST facade, reference: one endpoint: parameters, response, errors, and examples.
import { errorAnchor } from '#core/remedies.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { codeBlock, jsonBlock } from './code.ts';
import { type Endpoint, type Examples, type Parameter, type Response, resolve, type Schema } from './document.ts';
import { type Html, html } from './html.ts';
import { inlineMarkdown } from './markdown.ts';
import { fieldList, scopeBadge, typeName, valueNotes } from './schema-view.ts';

export function endpointView(document: OpenApiDocument, endpoint: Endpoint): Html {
  const { method, path, operation } = endpoint;
  const { operationId, summary, description, 'x-scope': scope } = operation;
  return html`<section class="endpoint" id="${operationId}">
<div class="said">
<h3>${summary}</h3>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code>${scope !== undefined && scopeBadge(scope)}</p>
<p>${inlineMarkdown(description)}</p>
${parametersView(document, endpoint)}
${bodyView(document, endpoint)}
${answerView(document, endpoint)}
${refusalsView(document, endpoint)}
</div>
<aside>${samplesView(document, endpoint)}</aside>
</section>`;
}

/** Allows a long path to wrap after its slashes. */
const breakable = (path: string): Html =>
  html`${path.split(/(?<=\/)/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`;

function parametersView(document: OpenApiDocument, { operation }: Endpoint): Html | false {
  const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(document, one));
  if (parameters.length === 0) return false;
  return html`<h4>Parameters</h4><ul class="fields">${parameters.map((one) => parameterRow(document, one))}</ul>`;
}

function parameterRow(document: OpenApiDocument, { name, in: place, description, required, schema }: Parameter): Html {
  const values = schema.items ?? schema;
  return html`<li>
<div class="field"><code class="name">${name}</code> <span class="type">${typeName(document, schema)}</span>${place !== 'query' && html` <span class="note">${place}</span>`}${required === true && html` <span class="required">required</span>`}</div>
<p>${inlineMarkdown(description)}</p>${valueNotes({ ...values, default: schema.default })}
</li>`;
}

function bodyView(document: OpenApiDocument, { operation }: Endpoint): Html | false {
  const body = operation.requestBody?.content['application/json'];
  return body !== undefined && html`<h4>Request body</h4>${fieldList(document, body.schema)}`;
}

/** The successful response and its status. */
function answerOf(document: OpenApiDocument, { operation }: Endpoint): [string, Response] {
  const [entry] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  if (entry === undefined) throw new Error(`${operation.operationId} has no answer`);
  return [entry[0], resolve<Response>(document, entry[1])];
}

function answerView(document: OpenApiDocument, endpoint: Endpoint): Html {
  const [status, { description, content }] = answerOf(document, endpoint);
  const schema = content && resolve<Schema>(document, content['application/json'].schema);
  const list = schema?.items ?? schema;
  return html`<h4>Answer <span class="status">${status}</span></h4><p>${schema?.items !== undefined && 'An array. '}${inlineMarkdown(description)}</p>${
    list !== undefined && fieldList(document, list)
  }`;
}

function refusalsView(document: OpenApiDocument, { operation }: Endpoint): Html {
  const rows = Object.entries(operation.responses).flatMap(([status, one]) => {
    const { content, description } = resolve<Response>(document, one);
    const examples = Object.entries(content?.['application/json'].examples ?? {});
    if (status.startsWith('2')) return [];
    if (status === '304')
      return [html`<li><span class="status">304</span> <span>${inlineMarkdown(description)}</span></li>`];
    const said = html`<span>${examples.map(([code, { summary, value }]) => refusalView(code, summary, value))}</span>`;
    return [html`<li><span class="status">${status === 'default' ? 'other' : status}</span> ${said}</li>`];
  });
  return html`<h4>Otherwise</h4><ul class="refusals">${rows}</ul>`;
}

/** The plant store sends no code; its callers see only the message. */
function refusalView(code: string, summary: string, value: unknown): Html {
  const sent = JSON.stringify(value).includes(`"${code}"`);
  const anchor = errorAnchor(code);
  return sent && anchor !== null ? html`<a href="#${anchor}"><code>${code}</code></a> ` : html`${summary} `;
}

function samplesView(document: OpenApiDocument, endpoint: Endpoint): Html {
  const samples = endpoint.operation['x-codeSamples'].map(
    ({ lang, label, source }) =>
      html`<div class="sample" data-language="${lang}"><h5>${label}</h5>${codeBlock(source, lang)}</div>`,
  );
  const [status, { content }] = answerOf(document, endpoint);
  return html`<div class="samples">${samples}</div>${
    content !== undefined && html`<h5>Answer ${status}</h5>${examplesView(content['application/json'].examples)}`
  }`;
}

function examplesView(examples: Examples): Html {
  const rows = Object.values(examples).map(
    ({ summary, value }, index) =>
      html`<details ${index === 0 && 'open'}><summary>${summary}</summary>${jsonBlock(value)}</details>`,
  );
  return html`${rows}`;
}
