import { z } from 'zod';
import { rule } from './fieldErrors.js';
import { label, ParamValue, text } from './vocabulary.js';

const Template = text(1, 10_000);
const StaticParams = z.record(text(1, 200), z.union([text(0, 10_000), z.number(), z.boolean()]));

/** Connection-level security: which connection string or files a token's queries go to. */
export const ClsConfig = z
  .strictObject({
    connectionTemplate: Template.nullish(),
    filePathTemplates: z.record(text(1, 200), Template).optional(),
    params: StaticParams.optional(),
  })
  .refine(
    (cls) => !(cls.connectionTemplate && cls.filePathTemplates),
    rule('use connectionTemplate or filePathTemplates, not both', 'conflict'),
  )
  .refine(
    (cls) =>
      cls.connectionTemplate !== undefined || cls.filePathTemplates !== undefined || cls.params !== undefined,
    rule('at least one of connectionTemplate, filePathTemplates and params is required', 'required'),
  );
export type ClsConfig = z.infer<typeof ClsConfig>;

/** Schema-level security: the schema that unqualified tables are in, and those that may be read. */
export const SlsConfig = z
  .strictObject({
    schema: text(1, 200).nullish(),
    schemaTemplate: Template.nullish(),
    allowedSchemas: z.array(text(1, 200)).max(1000).optional(),
    defaultSchema: text(1, 200).nullish(),
  })
  .refine(
    (sls) => !(sls.schema && sls.schemaTemplate),
    rule('use schema or schemaTemplate, not both', 'conflict'),
  )
  .refine(
    (sls) => Object.values(sls).some((value) => value !== undefined),
    rule('at least one field is required', 'required'),
  )
  .refine(
    (sls) => !sls.defaultSchema || !sls.allowedSchemas || sls.allowedSchemas.includes(sls.defaultSchema),
    rule('defaultSchema must be one of allowedSchemas', 'enum'),
  );
export type SlsConfig = z.infer<typeof SlsConfig>;

/** Only of a request: a stored config of an earlier version may have nothing but nulls. */
export const NewSlsConfig = SlsConfig.refine(
  (sls) => {
    const given = Object.values(sls).filter((value) => value !== undefined);
    return given.length === 0 || given.some((value) => value !== null);
  },
  rule('at least one field that is not null is required', 'required'),
);

const TableReference = z.strictObject({
  table: text(1, 200),
  schema: text(1, 200).optional(),
  database: text(1, 200).optional(),
});

/** Which tables a row-level rule governs. */
export const RlsMatcher = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ALL_TABLES_WITH_COLUMN'), column: text(1, 200) }),
  z.strictObject({ type: z.literal('TABLE_LIST'), tables: z.array(TableReference).min(1).max(1000) }),
  z.strictObject({
    type: z.literal('SCHEMA'),
    schema: text(1, 200),
    database: text(1, 200).optional(),
    column: text(1, 200).optional(),
  }),
]);
export type RlsMatcher = z.infer<typeof RlsMatcher>;

/** Row-level security: conditions that every governed table's rows must meet. */
export const RlsConfig = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        name: label(200).optional(),
        description: text(0, 5000).nullish(),
        matcher: RlsMatcher,
        expression: text(1, 10_000),
        params: z.record(text(1, 200), ParamValue).optional(),
        enabled: z.boolean().default(true),
      }),
    )
    .min(1)
    .max(500),
});
export type RlsConfig = z.infer<typeof RlsConfig>;

/** Policies that a token carries itself, merged with the stored ones when a policy is resolved. */
export const InlinePolicies = z.strictObject({
  cls: ClsConfig.optional(),
  sls: SlsConfig.optional(),
  rls: RlsConfig.optional(),
});
export type InlinePolicies = z.infer<typeof InlinePolicies>;
