// REST facade, OpenAPI: details of single fields that GraphQL's types leave open: forms of ids, codes, bounds.
import { type IdKind, idPattern, REGISTRY_ID_PATTERN } from '#core/ids.ts';
import { SCAN_METHODS, SCAN_RESULTS, TAMPER_STATES, VERIFICATION_STATUSES } from '#core/verification.ts';
import type { Reference } from '#gateway/reference.ts';
import type { JsonSchema } from './json-schema.ts';

const id = (kind: IdKind): JsonSchema => ({ pattern: idPattern(kind) });
const registryId: JsonSchema = { pattern: REGISTRY_ID_PATTERN };
const percent: JsonSchema = { minimum: 0, maximum: 100 };

/** Codes from reference rows: lists the present ones, but clients must expect others. */
const openList = (rows: readonly { code: string }[]): JsonSchema => ({
  'x-extensible-enum': rows.map(({ code }) => code),
});

/** By `Type.field`. Each overrides the schema of the field's GraphQL type. */
export function refinements({
  categories,
  documentTypes,
  valuationSources,
}: Reference): Readonly<Record<string, JsonSchema>> {
  const documentCodes: JsonSchema = { items: { type: 'string', ...openList(documentTypes) } };
  return {
    'Asset.id': id('item'),
    'Asset.registryId': registryId,
    'Asset.category': openList(categories),
    'Asset.quantity': { minimum: 0 },
    'Asset.categoryFields': { $ref: '#/components/schemas/CategoryFields', type: undefined },
    'AssetCollection.id': id('collection'),
    'AssetConnection.removed': { description: 'What left the view since, all of it on the first page.' },
    'AssetRemoval.registryId': registryId,
    'AssetRemoval.reason': { enum: ['deleted', 'out_of_scope'] },
    'CategorySummary.category': openList(categories),
    'CategorySummary.itemCount': { minimum: 1 },
    'Completeness.score': percent,
    'Completeness.present': documentCodes,
    'Completeness.missing': documentCodes,
    'Document.id': id('document'),
    'Document.registryId': registryId,
    'Document.type': openList(documentTypes),
    'Document.fileSize': { type: 'integer', format: 'int64', minimum: 0 },
    'DocumentationCompleteness.score': percent,
    'EstateReadiness.score': percent,
    'Heir.sharePercent': percent,
    'Money.currency': { pattern: '^[A-Z]{3}$' },
    'Pagination.page': { minimum: 1 },
    'PortfolioSummary.clientId': id('user'),
    'ShareLink.id': id('share_link'),
    'Sync.asOf': { description: 'What to send as `updated_since` next time, from the first page of a walk.' },
    'Valuation.id': id('valuation'),
    'Valuation.registryId': registryId,
    'Valuation.source': openList(valuationSources),
    'Verification.status': { enum: VERIFICATION_STATUSES },
    'Verification.riskScore': percent,
    'Verification.tamperState': { enum: TAMPER_STATES },
    'VerificationScan.method': { enum: SCAN_METHODS },
    'VerificationScan.result': { enum: SCAN_RESULTS },
  };
}

/**
 * The fields of all categories in one object. With alternatives, clients that decode responses would take the first
 * that matches, which any does if all fields are optional and others allowed, and drop the fields it does not have.
 * Only descriptions say what the schema of a category demands of a field: a category that does not name the field
 * accepts any value under it, and a schema may refer to parts of itself that are not in this document.
 */
export function categoryFields({ categories }: Reference): JsonSchema {
  const fields = categories.flatMap(({ code, fieldSchema: { properties = {} } }) =>
    Object.entries(properties as Record<string, FieldSchema | boolean>).map(([name, schema]) => ({
      code,
      name,
      values: valuesText(schema),
    })),
  );
  const properties = [...Map.groupBy(fields, ({ name }) => name)].map(([name, uses]) => {
    const byValues = [...Map.groupBy(uses, ({ values }) => values)];
    const sentences = byValues.map(([values, those]) => `In ${those.map(({ code }) => code).join(', ')}${values}`);
    return [name, { description: sentences.join(' ') }] as const;
  });
  return {
    description:
      "Fields of the item's category; all are optional, and there may be others. Types are those of the categories that name the field; in any other it may have any value.",
    type: 'object',
    properties: Object.fromEntries(properties.sort(([one], [other]) => (one < other ? -1 : 1))),
    additionalProperties: true,
  };
}

interface FieldSchema {
  type?: string | string[];
  enum?: unknown[];
  description?: string;
}

/** The values or types that a schema names, and its own description. A boolean schema names none. */
function valuesText(schema: FieldSchema | boolean): string {
  const { type = [], enum: values, description = '' } = Object(schema) as FieldSchema;
  const named = values?.map((value) => `\`${JSON.stringify(value)}\``) ?? [type].flat();
  return `${named.length === 0 ? '' : `: ${named.join(' or ')}`}. ${description}`.trimEnd();
}
