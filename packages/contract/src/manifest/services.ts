/**
 * The service manifest: the only place that lists the services. Types, the launch plan, NATS permissions,
 * import boundaries, secrets, the compose file and the Kubernetes manifests follow from it: run `npm run
 * manifest` after a change. The order is that in which `npm start` starts the services.
 */
import { access } from '../services/access.js';
import { audit } from '../services/audit/index.js';
import { directory } from '../services/directory/index.js';
import { lifecycle } from '../services/lifecycle/index.js';
import { policy } from '../services/policy.js';
import { semantics } from '../services/semantics.js';
import { defineServices, type ProcessEntry } from './entry.js';

export const serviceManifest = defineServices({
  directory: {
    contract: directory,
    port: 8091,
    database: 'directory',
    calls: ['access', 'semantics'],
    secrets: ['INTERNAL_VERIFY_KEY', 'MONGODB_URL', 'NATS_URL', 'SEALING_KEYS'],
    publishes: [
      'management.organization.*.v1',
      'management.project.*.v1',
      'management.project_secret.*.v1',
      'management.signing_key.*.v1',
      'management.sign_in_code.*.v1',
      'management.sign_in.*.v1',
      'management.identity.*.v1',
      'management.session.*.v1',
      'management.token.*.v1',
      'management.tenant.*.v1',
      'management.org_user.*.v1',
      'management.tenant_user.*.v1',
      'management.group.*.v1',
      'management.group_member.*.v1',
    ],
    consumers: {
      'directory-tidy': [
        'management.tenant_user.deleted.v1',
        'management.org_user.deleted.v1',
        'management.tenant.deleted.v1',
      ],
      'directory-sessions': [
        'management.tenant_user.updated.v1',
        'management.tenant_user.deleted.v1',
        'management.org_user.updated.v1',
        'management.org_user.deleted.v1',
      ],
    },
    watches: [],
    deployment: { cpu: '150m', memory: '160Mi', memoryMax: '320Mi', replicasMax: 4 },
  },
  access: {
    contract: access,
    port: 8092,
    database: 'access',
    calls: ['directory', 'audit', 'lifecycle'],
    secrets: ['INTERNAL_VERIFY_KEY', 'MONGODB_URL', 'NATS_URL'],
    publishes: [
      'management.dashboard.created.v1',
      'management.dashboard.updated.v1',
      'management.dashboard.taken_over.v1',
      'management.dashboard.deleted.v1',
      'management.dashboard_secret.*.v1',
      'management.dashboard_share.*.v1',
      'management.visual.*.v1',
      'management.visual_share.*.v1',
    ],
    consumers: {
      'access-tidy': [
        'management.tenant_user.deleted.v1',
        'management.org_user.deleted.v1',
        'management.group.deleted.v1',
        'management.tenant.deleted.v1',
      ],
      'access-commit-settings': [
        'management.version_control.updated.v1',
        'management.version_control.removed.v1',
      ],
    },
    watches: ['management.version_control.updated.v1', 'management.version_control.removed.v1'],
    deployment: { cpu: '250m', memory: '192Mi', memoryMax: '384Mi', replicasMax: 8 },
  },
  semantics: {
    contract: semantics,
    port: 8093,
    database: 'semantics',
    calls: ['policy'],
    secrets: ['INTERNAL_VERIFY_KEY', 'MONGODB_URL', 'NATS_URL', 'SEALING_KEYS'],
    settings: ['CONNECTION_HOSTS', 'SQLITE_DIR'],
    publishes: [
      'management.connection.*.v1',
      'management.connection_catalog.*.v1',
      'management.datamodel.*.v1',
      'management.domain.*.v1',
      'management.domain_template.*.v1',
      'management.assistant_profile.*.v1',
    ],
    consumers: {},
    watches: [],
    deployment: { cpu: '150m', memory: '192Mi', memoryMax: '512Mi', replicasMax: 4 },
  },
  policy: {
    contract: policy,
    port: 8094,
    database: 'policy',
    calls: ['directory', 'semantics'],
    secrets: ['INTERNAL_VERIFY_KEY', 'MONGODB_URL', 'NATS_URL', 'SEALING_KEYS'],
    publishes: [
      'management.policy_assignment.*.v1',
      'management.policy_definition.*.v1',
      'management.policy_test.*.v1',
      'management.statement.*.v1',
    ],
    consumers: {
      'policy-tidy': [
        'management.tenant_user.deleted.v1',
        'management.org_user.deleted.v1',
        'management.tenant.deleted.v1',
        'management.connection.deleted.v1',
        'management.policy_definition.deleted.v1',
      ],
    },
    watches: [],
    deployment: {
      cpu: '250m',
      memory: '256Mi',
      memoryMax: '1536Mi',
      replicasMax: 6,
      nodeOptions: {
        value: '--max-semi-space-size=64',
        reason:
          'A preview allocates many short-lived objects: a larger young generation allows a fourth more previews (docs/operations.md).',
      },
    },
  },
  lifecycle: {
    contract: lifecycle,
    port: 8095,
    database: 'lifecycle',
    calls: ['directory', 'access', 'semantics'],
    secrets: ['INTERNAL_VERIFY_KEY', 'LIFECYCLE_SIGNING_KEY', 'MONGODB_URL', 'NATS_URL', 'SEALING_KEYS'],
    settings: ['REPOSITORY_DIR', 'REPOSITORY_HOSTS'],
    publishes: [
      'management.dashboard.committed.v1',
      'management.migration.*.v1',
      'management.version_control.*.v1',
    ],
    consumers: {},
    watches: [],
    deployment: {
      cpu: '150m',
      memory: '224Mi',
      memoryMax: '640Mi',
      replicasMax: 4,
      volume: {
        name: 'repositories',
        about: 'The git repositories of projects. Every process of the service reads and writes them.',
        setting: 'REPOSITORY_DIR',
        path: '/var/lib/gatehouse/repositories',
        storage: '10Gi',
      },
    },
  },
  audit: {
    contract: audit,
    port: 8096,
    database: 'audit',
    calls: ['directory'],
    secrets: ['INTERNAL_VERIFY_KEY', 'MONGODB_URL', 'NATS_URL', 'SEALING_KEYS'],
    settings: ['WEBHOOK_HOSTS'],
    publishes: ['management.webhook.*.v1', 'management.webhook_secret.*.v1'],
    consumers: {
      'audit-log': ['management.*.*.v1'],
      'audit-webhooks': ['management.*.*.*'],
      'audit-history': [
        'management.dashboard.*.v1',
        'management.dashboard_secret.*.v1',
        'management.dashboard_share.*.v1',
        'management.visual.*.v1',
        'management.visual_share.*.v1',
        'management.org_user.*.v1',
        'management.tenant_user.*.v1',
        'management.group.*.v1',
        'management.group_member.*.v1',
      ],
    },
    watches: [],
    deployment: { cpu: '150m', memory: '160Mi', memoryMax: '384Mi', replicasMax: 4 },
  },
});

/** The gateway calls every service, and owns no data. */
export const gatewayManifest = {
  secrets: ['INTERNAL_SIGNING_KEY', 'NATS_URL'],
  optionalSecrets: ['OIDC_CLIENT_SECRET'],
  publishes: [],
  consumers: {},
  watches: [
    'management.token.revoked.v1',
    'management.session.ended.v1',
    'management.project_secret.rotated.v1',
    'management.dashboard_secret.rotated.v1',
    'management.tenant.deleted.v1',
    'management.org_user.updated.v1',
    'management.org_user.deleted.v1',
    'management.tenant_user.updated.v1',
    'management.tenant_user.deleted.v1',
    'management.group.deleted.v1',
    'management.group_member.added.v1',
    'management.group_member.removed.v1',
    'management.signing_key.rotated.v1',
  ],
  deployment: { cpu: '250m', memory: '192Mi', memoryMax: '384Mi', replicasMax: 8 },
} as const satisfies ProcessEntry;
