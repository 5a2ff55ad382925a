import type { JsonSchema, OpenApiDocument, OpenApiOperation, OpenApiResponse } from '@gatehouse/contract';

/** An operation of the document, with where it stands there. */
export interface Operation extends OpenApiOperation {
  /** In capitals. */
  method: string;
  path: string;
}

/** The document, and its operations in the order of the document. */
export interface Reference {
  document: OpenApiDocument;
  operations: readonly Operation[];
}

export function readReference(document: OpenApiDocument): Reference {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
  return { document, operations };
}

export function isOpen({ security }: Operation): boolean {
  return security?.length === 0;
}

const lastName = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1);

/** What the operation answers with success, and the status. */
export function successOf(operation: Operation): { status: string; response: OpenApiResponse } | null {
  for (const [status, response] of Object.entries(operation.responses)) {
    if (status.startsWith('2') && !('$ref' in response)) return { status, response };
  }
  return null;
}

/** The name of the schema that the operation's errors have. */
export function errorSchemaOf({ document }: Reference, operation: Operation): string {
  const shared = operation.responses['default'];
  const response = shared && '$ref' in shared ? document.components.responses[lastName(shared.$ref)] : shared;
  return lastName(response?.content?.['application/json']?.schema.$ref ?? '');
}

/** The name of the component that a schema is, itself or as an array's item; null where it is none. */
export function componentOf(schema: JsonSchema): string | null {
  return schema.$ref === undefined ? null : lastName(schema.$ref);
}

/** The schema that a reference leads to; any other schema is itself. */
export function resolveSchema({ document }: Reference, schema: JsonSchema): JsonSchema {
  const name = componentOf(schema);
  return name === null ? schema : (document.components.schemas[name] ?? {});
}

/** The schemas that a schema is made of besides its own properties: an array's items, and alternatives. */
export function partsOf(schema: JsonSchema): JsonSchema[] {
  const { items, additionalProperties } = schema;
  const inner = [items, additionalProperties].filter(
    (part): part is JsonSchema => typeof part === 'object' && !Array.isArray(part),
  );
  return [...inner, ...(schema.anyOf ?? schema.oneOf ?? [])];
}

export function propertiesOf(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
}
