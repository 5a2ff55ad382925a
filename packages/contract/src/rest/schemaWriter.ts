import { z } from 'zod';
import { ActorKind } from '../events.js';
import * as auditRecords from '../records/audit.js';
import * as catalogRecords from '../records/catalog.js';
import * as statementRecords from '../records/compiledStatement.js';
import * as directoryRecords from '../records/directory.js';
import * as migrationRecords from '../records/migration.js';
import * as policyRecords from '../records/policy.js';
import * as policyTestRecords from '../records/policyTest.js';
import * as resourceRecords from '../records/resource.js';
import * as semanticsRecords from '../records/semantics.js';
import * as sessionRecords from '../records/session.js';
import * as validationRecords from '../records/validation.js';
import * as versionControlRecords from '../records/versionControl.js';
import * as webhookRecords from '../records/webhook.js';
import { TokenType } from '../principal.js';
import { ClsConfig, InlinePolicies, RlsConfig, RlsMatcher, SlsConfig } from '../securityConfig.js';
import { GrantEntry, RevokeEntry } from '../services/shareEntries.js';
import { DraftAssignment } from '../services/policy.js';
import * as vocabulary from '../vocabulary.js';
import { deprecationOf } from './deprecation.js';
import { joinComponents, type Direction } from './document/joinComponents.js';
import { nameParts } from './document/nameParts.js';
import * as errorBodies from './errorBodies.js';
import type { JsonSchema } from './openapiDocument.js';

/** The exports of the contract that become components, by the names that they have there. */
const NAMED: Record<string, unknown> = {
  ...vocabulary,
  ClsConfig,
  SlsConfig,
  RlsConfig,
  RlsMatcher,
  InlinePolicies,
  ...directoryRecords,
  ...sessionRecords,
  ...resourceRecords,
  ...catalogRecords,
  ...semanticsRecords,
  ...policyRecords,
  ...statementRecords,
  ...policyTestRecords,
  ...validationRecords,
  ...auditRecords,
  ...webhookRecords,
  ...migrationRecords,
  ...versionControlRecords,
  ActorKind,
  DraftAssignment,
  GrantEntry,
  RevokeEntry,
  TokenType,
  ManagementError: errorBodies.ManagementErrorBody,
  TenantUserError: errorBodies.TenantUserErrorBody,
  TokenError: errorBodies.TokenErrorBody,
  DomainError: errorBodies.DomainErrorBody,
  SecurityError: errorBodies.SecurityErrorBody,
  ValidationError: errorBodies.ValidationErrorBody,
  MigrationError: errorBodies.MigrationErrorBody,
  Problem: errorBodies.ProblemBody,
  ErrorCode: errorBodies.ErrorCodeName,
  FieldErrorCode: errorBodies.FaultCode,
  FieldError: errorBodies.FieldErrorBody,
  BlockingRecord: errorBodies.BlockingRecordBody,
  ProblemCode: errorBodies.ProblemCode,
  MigrationErrorCode: errorBodies.MigrationCode,
};

function createRegistry() {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) {
    const isNamed =
      schema instanceof z.ZodObject || schema instanceof z.ZodEnum || schema instanceof z.ZodUnion;
    if (isNamed && !registry.has(schema)) registry.add(schema, { id });
  }
  return registry;
}

interface Converted {
  written: JsonSchema;
  definitions: Record<string, JsonSchema>;
}

/**
 * Converts zod to JSON Schema. Every object and enum becomes a component. One that requests and responses
 * have in common, but not alike, becomes two: a request may leave out what has a default, and may have no
 * unknown fields.
 */
export class SchemaWriter {
  readonly #registry = createRegistry();
  readonly #definitions: Record<Direction, Record<string, JsonSchema>> = { input: {}, output: {} };
  readonly #converted = { input: new Map<z.ZodType, Converted>(), output: new Map<z.ZodType, Converted>() };

  /**
   * Writes a schema, and collects its components.
   *
   * @param name names the parts of the schema that have no name of their own
   */
  write(schema: z.ZodType, direction: Direction, name: string): JsonSchema {
    const { written, definitions } = this.#convert(schema, direction);
    const components = this.#definitions[direction];
    for (const [id, definition] of Object.entries(definitions))
      components[id] ??= nameParts(definition, id, components);
    return nameParts(written, name, components);
  }

  /** Converts schemas together, which is several times faster than one by one. */
  prepare(schemas: readonly z.ZodType[], direction: Direction): void {
    const fields = schemas.map((schema, index) => [String(index), schema] as const);
    const { written, definitions } = this.#convert(z.object(Object.fromEntries(fields)), direction);
    for (const [index, schema] of schemas.entries()) {
      const part = written.properties?.[index] as JsonSchema;
      this.#converted[direction].set(schema, { written: part, definitions });
    }
  }

  /** The schema, and the components that it may refer to. */
  #convert(schema: z.ZodType, direction: Direction): Converted {
    const known = this.#converted[direction].get(schema);
    if (known) return known;
    const {
      $schema: _version,
      $defs = {},
      ...written
    } = z.toJSONSchema(schema, {
      io: direction,
      metadata: this.#registry,
      unrepresentable: 'throw',
      override({ zodSchema, jsonSchema }) {
        simplify(jsonSchema, direction);
        if (deprecationOf(zodSchema)) jsonSchema.deprecated = true;
      },
    });
    return {
      written: rewriteReferences(written) as JsonSchema,
      definitions: rewriteReferences($defs) as Record<string, JsonSchema>,
    };
  }

  /** Makes a component of a schema that is not one yet, and returns the reference to it. */
  name(schema: JsonSchema, direction: Direction, name: string): JsonSchema {
    if (schema.$ref !== undefined) return schema;
    this.#definitions[direction][name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The components by name, and the schemas of requests under the names that their components have. */
  join(): ReturnType<typeof joinComponents> {
    return joinComponents(this.#definitions);
  }
}

function simplify(schema: JsonSchema, direction: Direction): void {
  // Responses may gain fields within v1, so a reader must not reject unknown fields.
  if (direction === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
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
