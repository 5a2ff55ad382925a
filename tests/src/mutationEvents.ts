import type { EventType, MutationPath } from '@gatehouse/contract';

/** The events that a mutation publishes when it changes something, or why it publishes none. */
export type Published = readonly EventType[] | { none: string };

/** Of a `question` of the contract. */
export const ASKS = { none: 'it answers a question and stores nothing' } as const;
/** Of a `question` that the audit log may record. */
export const COMPILED: readonly EventType[] = ['management.statement.compiled.v1'];
const REMEMBERED = {
  none: 'it keeps the answer to a request that may be repeated; what the request changes has events of its own',
} as const;

const resourceEvents = <T extends 'dashboard' | 'visual'>(type: T) =>
  ({
    create: [`management.${type}.created.v1`],
    update: [`management.${type}.updated.v1`],
    delete: [`management.${type}.deleted.v1`],
    duplicate: [`management.${type}.created.v1`],
    takeOwnership: [`management.${type}.taken_over.v1`],
    grant: [`management.${type}_share.granted.v1`],
    revoke: [`management.${type}_share.revoked.v1`],
  }) as const;
const dashboard = resourceEvents('dashboard');
const visual = resourceEvents('visual');

/** Every mutation of every service: leaving one out does not compile. */
export const MUTATION_EVENTS: Record<MutationPath, Published> = {
  'access.dashboards.create': dashboard.create,
  'access.dashboards.update': dashboard.update,
  'access.dashboards.delete': dashboard.delete,
  'access.dashboards.duplicate': dashboard.duplicate,
  'access.dashboards.takeOwnership': dashboard.takeOwnership,
  'access.dashboards.rotateSecret': ['management.dashboard_secret.rotated.v1'],
  'access.visuals.create': visual.create,
  'access.visuals.update': visual.update,
  'access.visuals.delete': visual.delete,
  'access.visuals.duplicate': visual.duplicate,
  'access.visuals.takeOwnership': visual.takeOwnership,
  'access.checks.check': ASKS,
  'access.checks.list': ASKS,
  'access.checks.subjects': ASKS,
  'access.dashboardShares.grant': dashboard.grant,
  'access.dashboardShares.revoke': dashboard.revoke,
  'access.visualShares.grant': visual.grant,
  'access.visualShares.revoke': visual.revoke,
  'access.copies.createVisual': visual.create,
  'access.copies.createDashboard': dashboard.create,
  'access.copies.replaceDashboard': dashboard.update,
  'access.copies.remove': [...dashboard.delete, ...visual.delete],
  'access.copies.restoreDashboard': dashboard.update,
  'access.commitSettings.keep': {
    none: 'it copies the setting of the lifecycle service, whose change has an event',
  },
  'directory.tokens.issue': {
    none: 'a token is a statement that is signed, not a state: nothing is stored. A user that it makes, or a key, has an event',
  },
  'directory.tokens.createSignInCode': ['management.sign_in_code.created.v1'],
  'directory.tokens.invalidate': ['management.token.revoked.v1'],
  'directory.tokens.rotateKey': ['management.signing_key.rotated.v1'],
  'directory.sessions.createFromCode': [
    'management.session.created.v1',
    'management.session.ended.v1',
    'management.sign_in.failed.v1',
  ],
  'directory.sessions.issueToken': {
    none: 'it moves the end of a session that is in use, and signs a token',
  },
  'directory.sessions.end': ['management.session.ended.v1'],
  'directory.sessions.revoke': ['management.session.ended.v1'],
  'directory.organizations.bootstrap': [
    'management.organization.created.v1',
    'management.project.created.v1',
    'management.org_user.created.v1',
  ],
  'directory.projects.create': ['management.project.created.v1'],
  'directory.projects.update': ['management.project.updated.v1'],
  'directory.projects.rotateSecret': ['management.project_secret.rotated.v1'],
  'directory.tenants.create': ['management.tenant.created.v1'],
  'directory.tenants.update': ['management.tenant.updated.v1'],
  'directory.tenants.delete': ['management.tenant.deleted.v1'],
  'directory.orgUsers.create': ['management.org_user.created.v1'],
  'directory.orgUsers.update': ['management.org_user.updated.v1'],
  'directory.orgUsers.delete': ['management.org_user.deleted.v1'],
  'directory.tenantUsers.create': ['management.tenant_user.created.v1'],
  'directory.tenantUsers.update': ['management.tenant_user.updated.v1'],
  'directory.tenantUsers.delete': ['management.tenant_user.deleted.v1'],
  'directory.groups.create': ['management.group.created.v1'],
  'directory.groups.update': ['management.group.updated.v1'],
  'directory.groups.delete': ['management.group.deleted.v1'],
  'directory.groups.addMembers': ['management.group_member.added.v1'],
  'directory.groups.removeMembers': ['management.group_member.removed.v1'],
  'directory.groups.removeMember': ['management.group_member.removed.v1'],
  'directory.idempotency.claim': REMEMBERED,
  'directory.idempotency.complete': REMEMBERED,
  'directory.idempotency.release': REMEMBERED,
  'semantics.domains.create': ['management.domain.created.v1'],
  'semantics.domains.update': ['management.domain.updated.v1'],
  'semantics.domains.delete': ['management.domain.deleted.v1'],
  'semantics.domains.putTemplate': ['management.domain_template.updated.v1'],
  'semantics.connections.create': ['management.connection.created.v1'],
  /** The second where the catalog that it brings differs. */
  'semantics.connections.update': [
    'management.connection.updated.v1',
    'management.connection_catalog.updated.v1',
  ],
  'semantics.connections.delete': ['management.connection.deleted.v1'],
  'semantics.connections.introspect': ['management.connection_catalog.updated.v1'],
  'semantics.datamodels.create': ['management.datamodel.created.v1'],
  'semantics.datamodels.update': ['management.datamodel.updated.v1'],
  'semantics.datamodels.delete': ['management.datamodel.deleted.v1'],
  'semantics.assistantProfiles.create': ['management.assistant_profile.created.v1'],
  'semantics.assistantProfiles.update': ['management.assistant_profile.updated.v1'],
  'semantics.assistantProfiles.delete': ['management.assistant_profile.deleted.v1'],
  'semantics.copies.createDomain': ['management.domain.created.v1'],
  'semantics.copies.createDatamodel': ['management.datamodel.created.v1'],
  'semantics.copies.remove': ['management.domain.deleted.v1', 'management.datamodel.deleted.v1'],
  'policy.definitions.create': ['management.policy_definition.created.v1'],
  'policy.definitions.update': ['management.policy_definition.updated.v1'],
  'policy.definitions.delete': ['management.policy_definition.deleted.v1'],
  'policy.assignments.create': ['management.policy_assignment.created.v1'],
  'policy.assignments.update': ['management.policy_assignment.updated.v1'],
  'policy.assignments.delete': ['management.policy_assignment.deleted.v1'],
  'policy.previews.preview': ASKS,
  'policy.previews.diff': ASKS,
  'policy.previews.lint': ASKS,
  'policy.statements.compile': COMPILED,
  'policy.tests.create': ['management.policy_test.created.v1'],
  'policy.tests.update': ['management.policy_test.updated.v1'],
  'policy.tests.delete': ['management.policy_test.deleted.v1'],
  'policy.tests.run': ASKS,
  'lifecycle.validation.validate': ASKS,
  'lifecycle.validation.validateAll': ASKS,
  'lifecycle.validation.fix': ASKS,
  /** With those of what it copies, and of what it takes away again. */
  'lifecycle.migrations.migrate': [
    'management.migration.started.v1',
    ...dashboard.create,
    'management.migration.completed.v1',
  ],
  'lifecycle.migrations.rollback': [...dashboard.delete, 'management.migration.rolled_back.v1'],
  'lifecycle.versionControl.put': ['management.version_control.updated.v1'],
  'lifecycle.versionControl.remove': ['management.version_control.removed.v1'],
  'lifecycle.versionControl.commit': ['management.dashboard.committed.v1'],
  'lifecycle.versionControl.restore': dashboard.update,
  'audit.webhooks.create': ['management.webhook.created.v1'],
  'audit.webhooks.update': ['management.webhook.updated.v1'],
  'audit.webhooks.delete': ['management.webhook.deleted.v1'],
  'audit.webhooks.rotateSecret': ['management.webhook_secret.rotated.v1'],
  'audit.webhooks.test': { none: 'it sends to an address; the webhook stays as it is' },
  'audit.webhooks.replayDelivery': { none: 'it sends again what was sent; the webhook stays as it is' },
  'audit.webhooks.replayFailed': { none: 'it sends again what was sent; the webhook stays as it is' },
};
