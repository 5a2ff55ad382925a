import type { OperationInput } from '@gatehouse/client';
import { grace, hugo, tomas, ada } from './organization.js';

/** The security policies of the first project as data. */

type Configs = Pick<OperationInput<'createPolicyDefinition'>, 'clsConfig' | 'slsConfig' | 'rlsConfig'>;
type Assignment = Pick<
  OperationInput<'createPolicyAssignment'>,
  'scopeType' | 'tenantId' | 'tenantUserId' | 'params'
> & {
  /** The e-mail address of an org user. */
  orgUser?: string;
};
type PolicyTest = Omit<OperationInput<'createPolicyTest'>, 'projectId' | 'definitionId'>;

export interface DemoDefinition {
  name: string;
  configs: Configs;
  assignments: Assignment[];
  tests: PolicyTest[];
}

const ownRows: DemoDefinition = {
  name: 'Own rows',
  configs: {
    rlsConfig: {
      rules: [
        {
          name: 'rows of the own tenant',
          description: 'Every table with the column, so that a new table is covered from the start',
          matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
          expression: 'tenant_id = {{ actor.tenantId }}',
        },
      ],
    },
  },
  assignments: [{ scopeType: 'ALL_TENANTS' }],
  tests: [
    {
      name: 'Harbor Foods reads its own orders',
      actor: { kind: 'TENANT', tenantId: 'harbor-foods' },
      sql: 'SELECT id FROM sales.orders',
      sampleData: {
        orders: [
          { id: 1, tenant_id: 'harbor-foods' },
          { id: 2, tenant_id: 'alpine-outdoor' },
        ],
      },
      expect: { status: 'compiled', rows: [{ id: 1 }] },
    },
    {
      name: 'A join is restricted on both sides',
      actor: { kind: 'TENANT', tenantId: 'nordic-bikes' },
      sql: 'SELECT o.id FROM sales.orders o JOIN sales.stores s ON s.id = o.store_id',
      expect: { status: 'compiled', tables: ['orders', 'stores'] },
    },
  ],
};

const schemas: DemoDefinition = {
  name: 'Schemas of customers',
  configs: { slsConfig: { allowedSchemas: ['sales', 'inventory'], defaultSchema: 'sales' } },
  assignments: [
    { scopeType: 'TENANT', tenantId: 'harbor-foods' },
    { scopeType: 'TENANT', tenantId: 'alpine-outdoor' },
    { scopeType: 'TENANT', tenantId: 'nordic-bikes' },
  ],
  tests: [
    {
      name: 'Alpine Outdoor does not read campaigns',
      actor: { kind: 'TENANT', tenantId: 'alpine-outdoor' },
      sql: 'SELECT campaign_name FROM marketing.campaigns',
      expect: { status: 'denied' },
    },
  ],
};

const marketing: DemoDefinition = {
  name: 'Schemas with marketing',
  configs: { slsConfig: { allowedSchemas: ['sales', 'marketing'], defaultSchema: 'marketing' } },
  assignments: [{ scopeType: 'TENANT', tenantId: 'citrus-travel' }],
  tests: [
    {
      name: 'Citrus Travel reads its own bookings',
      actor: { kind: 'TENANT_USER', tenantUserId: 'sofia-rossi' },
      sql: 'SELECT channel, sum(booking_count) FROM bookings GROUP BY channel',
      expect: { status: 'compiled', conditions: { bookings: "tenant_id = 'citrus-travel'" } },
    },
  ],
};

const region: DemoDefinition = {
  name: 'Own region',
  configs: {
    rlsConfig: {
      rules: [
        {
          name: 'orders and stores of the region',
          matcher: {
            type: 'TABLE_LIST',
            tables: [
              { schema: 'sales', table: 'orders' },
              { schema: 'sales', table: 'stores' },
            ],
          },
          expression: 'region IN ({{ regions }})',
        },
      ],
    },
  },
  assignments: [
    { scopeType: 'TENANT_USER', tenantUserId: 'ben-carter', params: { regions: ['North', 'West'] } },
  ],
  tests: [
    {
      name: 'Ben reads the orders of his regions',
      actor: { kind: 'TENANT_USER', tenantUserId: 'ben-carter' },
      sql: 'SELECT id FROM sales.orders',
      sampleData: {
        orders: [
          { id: 1, tenant_id: 'harbor-foods', region: 'North' },
          { id: 2, tenant_id: 'harbor-foods', region: 'South' },
          { id: 3, tenant_id: 'citrus-travel', region: 'North' },
        ],
      },
      expect: { rows: [{ id: 1 }] },
    },
  ],
};

/** The connection of each tenant: the database shows who reads. */
const customerConnection = (port: number): DemoDefinition => ({
  name: 'Connection of customers',
  configs: {
    clsConfig: {
      connectionTemplate: `postgresql://127.0.0.1:${port}/postgres?application_name={{ actor.tenantId }}`,
    },
  },
  assignments: [{ scopeType: 'ALL_TENANTS' }],
  tests: [],
});

const staff: DemoDefinition = {
  name: 'Staff',
  configs: {
    slsConfig: { allowedSchemas: ['sales', 'inventory', 'marketing'], defaultSchema: 'sales' },
  },
  assignments: [ada, tomas, grace, hugo].map((orgUser) => ({ scopeType: 'ORG_USER' as const, orgUser })),
  tests: [],
};

/** All definitions. `port` is that of the database. */
export const demoDefinitions = (port: number): DemoDefinition[] => [
  ownRows,
  schemas,
  marketing,
  region,
  customerConnection(port),
  staff,
];
