// REST facade, reference: schemas as lists of fields, with nested ones collapsed.
import type { OpenApiDocument } from '../openapi.ts';
import { resolve, type Schema } from './document.ts';
import { type Html, html } from './html.ts';
import { inlineMarkdown } from './markdown.ts';

/** Sentences about scopes, which badges show already. */
const CONDITIONS = / ?Needs the scope `\w+`\./g;

export function fieldList(document: OpenApiDocument, schema: Schema): Html {
  const { properties = {}, required = [] } = resolve(document, schema);
  const rows = Object.entries(properties).map(([name, property]) =>
    fieldRow(document, name, property, required.includes(name)),
  );
  return html`<ul class="fields">${rows}</ul>`;
}

function fieldRow(document: OpenApiDocument, name: string, property: Schema, required: boolean): Html {
  const { schema, isNull } = unwrapped(document, property);
  const scope = property['x-scope'];
  const description = (property.description ?? schema.description ?? '').replace(CONDITIONS, '').trim();
  return html`<li>
<div class="field"><code class="name">${name}</code> <span class="type">${typeName(document, schema)}${isNull && ' or null'}</span>${scope !== undefined && scopeBadge(scope)}${!required && scope === undefined && html` <span class="note">optional</span>`}</div>
${description !== '' && html`<p>${inlineMarkdown(description)}</p>`}${valueNotes(itemsOf(document, schema))}${nested(document, schema, name === 'data')}
</li>`;
}

export const scopeBadge = (scope: string): Html =>
  html` <a class="scope" href="#scopes" title="Needs the scope ${scope}">${scope}</a>`;

/** Treats `anyOf` with null as a nullable schema. */
function unwrapped(document: OpenApiDocument, property: Schema): { schema: Schema; isNull: boolean } {
  const [first, second] = property.anyOf ?? [];
  if (first !== undefined && second?.type === 'null') return { schema: resolve(document, first), isNull: true };
  const schema = resolve(document, property);
  return { schema, isNull: Array.isArray(schema.type) && schema.type.includes('null') };
}

const itemsOf = (document: OpenApiDocument, schema: Schema): Schema =>
  schema.items === undefined ? schema : resolve(document, schema.items);

export function typeName(document: OpenApiDocument, schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeName(document, one)).join(' or ');
  const [type = 'any'] = [schema.type ?? []].flat();
  if (type === 'array') return `array of ${typeName(document, itemsOf(document, schema))}`;
  const formats: Record<string, string> = { 'date-time': 'timestamp', date: 'date', int64: 'integer, 64 bits' };
  return formats[schema.format ?? ''] ?? type;
}

/** Codes, bounds and defaults. */
export function valueNotes(schema: Schema): Html {
  const { enum: closed, 'x-extensible-enum': open, minimum, maximum, minLength, maxLength } = schema;
  const codes = closed ?? open;
  const length = maxLength === undefined ? null : `${minLength ?? 0} to ${maxLength} characters`;
  const range = maximum === undefined ? null : `${minimum ?? ''} to ${maximum.toLocaleString('en')}`;
  const initial = schema.default === undefined ? null : `default ${String(schema.default)}`;
  const bounds = [length, range, initial].filter((note) => note !== null).join(', ');
  return html`${bounds !== '' && html`<p class="bounds">${bounds}</p>`}${
    codes !== undefined &&
    html`<p class="codes">${codes.map((code) => html`<code>${code}</code> `)}${open !== undefined && html`<span class="note">and later ones</span>`}</p>`
  }`;
}

/** `open`: whether to expand it, as for the resource itself. */
function nested(document: OpenApiDocument, schema: Schema, open: boolean): Html | false {
  const inner = itemsOf(document, schema);
  if (inner.properties === undefined) return false;
  const count = Object.keys(inner.properties).length;
  return html`<details ${open && 'open'}><summary>${count} fields</summary>${fieldList(document, inner)}</details>`;
}
