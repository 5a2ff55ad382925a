import { z } from 'zod';
import * as auditRecords from '../records/audit.js';
import * as catalogRecords from '../records/catalog.js';
import * as directoryRecords from '../records/directory.js';
import * as migrationRecords from '../records/migration.js';
import * as policyRecords from '../records/policy.js';
import * as policyTestRecords from '../records/policyTest.js';
import * as resourceRecords from '../records/resource.js';
import * as semanticsRecords from '../records/semantics.js';
import * as validationRecords from '../records/validation.js';
import * as versionControlRecords from '../records/versionControl.js';
import * as webhookRecords from '../records/webhook.js';
import { GrantEntry, RevokeEntry } from '../services/access.js';
import { deprecationOf } from './deprecation.js';
import {
  DomainErrorBody,
  ManagementErrorBody,
  MigrationErrorBody,
  ProblemBody,
  SecurityErrorBody,
  TenantUserErrorBody,
  TokenErrorBody,
  ValidationErrorBody,
} from './errorBodies.js';
import type { JsonSchema } from './openapiDocument.js';

/** The records that become components, by their names in the contract. */
function createRegistry() {
  const registry = z.registry<{ id: string }>();
  const named = {
    ...directoryRecords,
    ...resourceRecords,
    ...catalogRecords,
    ...semanticsRecords,
    ...policyRecords,
    ...policyTestRecords,
    ...validationRecords,
    ...auditRecords,
    ...webhookRecords,
    ...migrationRecords,
    ...versionControlRecords,
    GrantEntry,
    RevokeEntry,
    ManagementError: ManagementErrorBody,
    TenantUserError: TenantUserErrorBody,
    TokenError: TokenErrorBody,
    DomainError: DomainErrorBody,
    SecurityError: SecurityErrorBody,
    ValidationError: ValidationErrorBody,
    MigrationError: MigrationErrorBody,
    Problem: ProblemBody,
  };
  for (const [id, schema] of Object.entries(named)) {
    if (schema instanceof z.ZodObject) registry.add(schema, { id });
  }
  return registry;
}

/** Converts zod to JSON Schema, and collects the components. */
export class SchemaWriter {
  readonly components: Record<string, JsonSchema> = {};
  readonly #registry = createRegistry();

  write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema: _version,
      $defs,
      ...written
    } = z.toJSONSchema(schema, {
      io,
      metadata: this.#registry,
      unrepresentable: 'throw',
      override({ zodSchema, jsonSchema }) {
        simplify(jsonSchema, io);
        if (deprecationOf(zodSchema)) jsonSchema.deprecated = true;
      },
    });
    Object.assign(this.components, rewriteReferences($defs ?? {}));
    return rewriteReferences(written) as JsonSchema;
  }
}

function simplify(schema: JsonSchema, io: 'input' | 'output'): void {
  // Responses may gain fields within v1, so a reader must not reject unknown fields.
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // Redundant with the format, and long.
  if (schema.format !== undefined) delete schema.pattern;
  delete schema.propertyNames;
  delete schema.id;
}

/** Points references at the document's components. */
function rewriteReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rewriteReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string'
        ? [key, value.replace('#/$defs/', '#/components/schemas/')]
        : [key, rewriteReferences(value)],
    ),
  );
}
