import type { EnumTexts } from './texts.js';

const ADMIN = 'Administers the organization: users, tenants, projects, policies and webhooks';
const roles = {
  VIEWER: 'Views what is shared with the user, and changes nothing',
  POWER_USER: 'A tenant user who creates and edits dashboards and visuals',
  AUTHOR: 'An org user who creates and edits dashboards and visuals, and manages groups and data models',
  ADMIN,
};
const { VIEWER, POWER_USER, AUTHOR } = roles;

/** Users, access and requests. */
const accessEnums: EnumTexts = {
  UserRole: { about: 'The role of a user, which caps the level of every grant.', values: roles },
  OrgUserRole: { about: 'The role of an org user.', values: { VIEWER, AUTHOR, ADMIN } },
  TenantUserRole: { about: 'The role of a tenant user.', values: { VIEWER, POWER_USER } },
  UserType: {
    about: 'The kind of user.',
    values: { organization: 'A user of the organization itself', tenant: 'A user of a tenant' },
  },
  SessionMethod: {
    about: 'How a user signed in.',
    values: { code: 'With a one-time code', oidc: 'At an OpenID provider' },
  },
  CallerType: {
    about: 'The kind of caller.',
    values: {
      organization: 'An org user',
      tenant: 'A tenant user',
      project: 'The project itself: a token without a user',
    },
  },
  ActorKind: {
    about: 'The kind of actor.',
    values: {
      orgUser: 'An org user',
      tenantUser: 'A tenant user',
      service: 'The project itself: a project token without a user',
      anonymous: 'A dashboard token without a user',
      compiler: 'A token with the scope `sql:compile`',
    },
  },
  TokenType: {
    about: 'The kind of token.',
    values: { project: 'Reaches the project', dashboard: 'Reaches one dashboard' },
  },
  AccessLevel: {
    about: 'A level of access to a dashboard or visual. Each level includes those before it.',
    values: {
      VIEWER: 'May view it',
      EDITOR: 'May change it',
      CONTRIBUTOR: 'May share it',
      OWNER: 'May delete it and renew its secret',
    },
  },
  CheckRejection: {
    about: 'The reason for which a question has no answer.',
    values: {
      NOT_FOUND: 'The caller cannot see the resource, or does not know the user, or there is none',
      FORBIDDEN: 'The caller lacks CONTRIBUTOR on the resource, which answers about other users need',
    },
  },
  ShareScope: {
    about: 'The users that a share reaches.',
    values: {
      specific_tenant_user: 'One tenant user, named by `tenantUserId`',
      all_tenant_users: 'All users of one tenant, named by `tenantId`',
      specific_org_user: 'One org user, named by `orgUserId`',
      all_org_users: 'All org users',
      org_users_only: 'All org users, and no tenant users',
      all_tenants_only: 'All users of all tenants, and no org users',
      group: 'All members of one group, named by `groupId`',
    },
  },
  GroupType: {
    about: 'The members that a group may have.',
    values: { ORG_GROUP: 'Org users and tenant users', TENANT_GROUP: 'Users of one tenant' },
  },
  GroupTypeFilter: {
    about: 'The groups that a list contains.',
    values: { ORG_GROUP: 'Only org groups', TENANT_GROUP: 'Only tenant groups', all: 'All groups' },
  },
  GroupSort: {
    about: 'The order of a list of groups.',
    values: { name: 'By name', created: 'By the time of creation', members: 'By the number of members' },
  },
  ResourceType: {
    about: 'The kind of resource.',
    values: { dashboard: 'A dashboard', visual: 'A visual' },
  },
  ResourceSort: {
    about: 'The field that a list is sorted by.',
    values: {
      updatedAt: 'By the time of the last change',
      createdAt: 'By the time of creation',
      title: 'By title',
    },
  },
  ResourceListScope: {
    about: 'Which records a list contains.',
    values: { organization: 'Everything in the project, with or without access to it' },
  },
  SortOrder: {
    about: 'The direction of an order.',
    values: { asc: 'The smallest or earliest first', desc: 'The largest or latest first' },
  },
  GrantPath: {
    about: 'The way in which access was granted.',
    values: {
      ownership: 'The user owns the record',
      share: 'A share names the user or the tenant of the user',
      group: 'A share names a group of the user',
      audience: 'A share names an audience, or the record is not private',
      'linked dashboard': 'A dashboard that the user may view links the visual',
      token: 'The token of the dashboard itself',
    },
  },
};

/** Connections, catalogs and models. */
const semanticsEnums: EnumTexts = {
  ConnectionType: {
    about: 'The kind of database.',
    values: {
      postgres: 'PostgreSQL',
      mysql: 'MySQL or MariaDB',
      sqlite: 'A SQLite file',
      static: 'No database: the catalog is part of the request',
    },
  },
  SqlDialect: {
    about: 'The SQL dialect of statements and rules.',
    values: {
      postgres: 'PostgreSQL',
      mysql: 'MySQL and MariaDB',
      sqlite: 'SQLite',
      duckdb: 'DuckDB',
      snowflake: 'Snowflake',
      bigquery: 'BigQuery',
      mssql: 'SQL Server',
    },
  },
  TlsMode: {
    about: 'How a connection is protected.',
    values: {
      disable: 'Not encrypted',
      require: 'Encrypted, without verifying the server',
      verify: 'Encrypted, and the certificate and name of the server are verified',
    },
  },
  UnassignedActors: {
    about: 'The access of an actor to whom no policy assignment applies.',
    values: { deny: 'The actor may read nothing', allow: 'The actor may read everything' },
  },
  CatalogTableKind: {
    about: 'The kind of table.',
    values: { table: 'A table', view: 'A view', materializedView: 'A materialized view' },
  },
  CatalogChangeKind: {
    about: 'The kind of difference between two catalogs.',
    values: {
      schemaAdded: 'A schema was added',
      schemaRemoved: 'A schema was removed',
      tableAdded: 'A table was added',
      tableRemoved: 'A table was removed',
      columnAdded: 'A column was added',
      columnRemoved: 'A column was removed',
      columnTypeChanged: 'The type of a column changed',
      columnRenamed: 'A column was removed and one of the same type added, so it was most likely renamed',
      tableRenamed: 'A table was removed and one with the same columns added, so it was most likely renamed',
    },
  },
  RelationshipType: {
    about: 'The kind of join.',
    values: {
      inner: 'Only rows with a match',
      left: 'All rows of the source',
      right: 'All rows of the target',
      full: 'All rows of both',
    },
  },
};

/** The audit log and webhooks. */
const auditEnums: EnumTexts = {
  AuditOutcome: {
    about: 'The outcome of a request.',
    values: { done: 'The request was carried out', refused: 'The request was refused' },
  },
  WebhookDeliveryStatus: {
    about: 'The state of a delivery.',
    values: {
      pending: 'It is being sent, or a further attempt is due',
      delivered: 'The receiver accepted it',
      failed: 'All attempts failed',
    },
  },
  WebhookDisabledReason: {
    about: 'Why a webhook is disabled.',
    values: {
      manual: 'A user disabled it',
      gone: 'Its receiver returned 410',
      failing: 'Its deliveries failed for too long',
      overloaded: 'Too many of its deliveries waited',
    },
  },
  WebhookFailure: {
    about: 'Why an attempt failed.',
    values: {
      not_allowed: 'The operator does not allow the host, or an address of it',
      unresolved: 'The name of the host has no address',
      unreachable: 'The host accepts no connection',
      untrusted: 'The certificate of the host is not trusted',
      timed_out: 'The response took too long',
      malformed: 'The response is not valid HTTP',
      redirected: 'The receiver redirects; redirects are not followed',
      refused: 'The receiver returned a status that is neither success nor redirection',
      interrupted: 'The sending process ended',
    },
  },
};

export const basicEnums: EnumTexts = { ...accessEnums, ...semanticsEnums, ...auditEnums };
