import {
  AccessLevel,
  CatalogInput,
  ClsConfig,
  CONNECTION_CONFIGS,
  Dataset,
  DomainLabel,
  DomainName,
  Email,
  GroupType,
  Id,
  jsonObject,
  label,
  ModelTemplate,
  parseWebAddress,
  OrgUserRole,
  Params,
  RlsConfig,
  SampleData,
  SHARE_TARGET_FIELD,
  ShareScope,
  SlsConfig,
  TEMPLATE_MAX_BYTES,
  TenantUserRole,
  TestExpectation,
  text,
  Timestamp,
  webAddress,
  WebhookEventType,
} from '@gatehouse/contract';
import { z } from 'zod';
import type { KindName } from './kinds.js';

/** The key of another record. */
const Key = z.string().min(1);
/** Set only if another record has the same name. */
const Own = { key: Key.optional() };
const Name = label(200);
const Description = text(0, 5000).default('');

const Share = z
  .strictObject({
    scope: ShareScope,
    role: AccessLevel,
    tenantUser: Key.optional(),
    tenant: Key.optional(),
    orgUser: Key.optional(),
    group: Key.optional(),
    expiresAt: Timestamp.optional(),
  })
  .superRefine((share, context) => {
    const required = SHARE_TARGET_FIELD[share.scope]?.replace(/Id$/, '');
    for (const field of ['tenantUser', 'tenant', 'orgUser', 'group'] as const) {
      if ((share[field] !== undefined) === (field === required)) continue;
      const message =
        field === required ? `is required for scope ${share.scope}` : `does not go with scope ${share.scope}`;
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

const Actor = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ALL_TENANTS') }),
  z.strictObject({ kind: z.literal('TENANT'), tenant: Key }),
  z.strictObject({ kind: z.literal('TENANT_USER'), tenantUser: Key }),
  z.strictObject({ kind: z.literal('ORG_USER'), orgUser: Key }),
]);

const Resource = {
  ...Own,
  title: Name,
  description: Description,
  isPrivate: z.boolean().default(true),
  tags: z.array(label(100)).max(50).default([]),
  owner: Key,
  shares: z.array(Share).default([]),
};
const Content = jsonObject(TEMPLATE_MAX_BYTES).nullable().default(null);

/** Datasets name their connection by a marker instead of an id. */
const Template = ModelTemplate.extend({
  datasets: z
    .array(Dataset.extend({ connectionId: Key.optional() }))
    .max(2000)
    .default([]),
});

const Governance = {
  rowBarrier: z.boolean().default(false),
  unassignedActors: z.enum(['deny', 'allow']).default('deny'),
};
const server = (type: 'postgres' | 'mysql') =>
  z.strictObject({
    ...Own,
    name: Name,
    type: z.literal(type),
    config: CONNECTION_CONFIGS[type],
    ...Governance,
  });

/** The form in which an address is stored; another text is left for the API to reject. */
function normalAddress(given: string): string {
  const address = parseWebAddress(given);
  return typeof address === 'string' ? given : address.href;
}

/** The schema of the files of each kind. */
export const SCHEMAS: Readonly<Record<KindName, z.ZodType<Record<string, unknown>>>> = {
  tenant: z.strictObject({
    ...Own,
    id: Id.optional(),
    name: Name,
    defaultOwner: Key.nullable().default(null),
  }),
  orgUser: z.strictObject({
    ...Own,
    email: Email,
    name: Name,
    role: OrgUserRole,
    department: text(0, 200).default(''),
    isActive: z.boolean().default(true),
  }),
  tenantUser: z.strictObject({
    ...Own,
    id: Id.optional(),
    tenant: Key,
    email: Email,
    name: Name,
    role: TenantUserRole.default('VIEWER'),
    department: text(0, 200).default(''),
    isActive: z.boolean().default(true),
  }),
  group: z.strictObject({
    ...Own,
    name: label(100),
    type: GroupType,
    tenant: Key.optional(),
    description: Description,
    members: z.array(Key).default([]),
  }),
  connection: z.discriminatedUnion('type', [
    server('postgres'),
    server('mysql'),
    z.strictObject({
      ...Own,
      name: Name,
      type: z.literal('sqlite'),
      config: CONNECTION_CONFIGS.sqlite,
      ...Governance,
    }),
    z.strictObject({
      ...Own,
      name: Name,
      type: z.literal('static'),
      config: CONNECTION_CONFIGS.static,
      ...Governance,
      catalog: CatalogInput.nullable().default(null),
    }),
  ]),
  domain: z.strictObject({
    ...Own,
    name: DomainName,
    label: DomainLabel.optional(),
    description: Description,
    template: Template.prefault({}),
  }),
  datamodel: z.strictObject({
    ...Own,
    name: Name,
    description: Description,
    connection: Key,
    template: Template.prefault({}),
  }),
  assistantProfile: z.strictObject({
    ...Own,
    name: Name,
    description: Description,
    instructions: text(0, 20_000).default(''),
  }),
  visual: z.strictObject({ ...Resource, frameObject: Content }),
  dashboard: z.strictObject({ ...Resource, isDataApp: z.boolean().default(false), template: Content }),
  policyDefinition: z.strictObject({
    ...Own,
    connection: Key,
    name: Name,
    clsConfig: ClsConfig.nullable().default(null),
    slsConfig: SlsConfig.nullable().default(null),
    rlsConfig: RlsConfig.nullable().default(null),
  }),
  policyAssignment: z.strictObject({
    ...Own,
    definition: Key,
    actor: Actor,
    params: Params.nullable().default(null),
  }),
  policyTest: z.strictObject({
    ...Own,
    definition: Key,
    name: Name,
    actor: Actor,
    sql: text(1, 100_000),
    runtimeParams: Params.nullable().default(null),
    sampleData: SampleData.nullable().default(null),
    expect: TestExpectation,
  }),
  webhook: z.strictObject({
    ...Own,
    url: webAddress(2048).transform(normalAddress),
    description: text(0, 1000).default(''),
    eventTypes: z.array(WebhookEventType).min(1).max(100),
    onlyThisProject: z.boolean().default(false),
    isEnabled: z.boolean().default(true),
  }),
};

/** The schemas as JSON Schema, for editors. */
export function jsonSchemaOf(kind: KindName): object {
  return z.toJSONSchema(SCHEMAS[kind], { io: 'input', unrepresentable: 'any' });
}
