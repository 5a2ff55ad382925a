/**
 * What each process may do on NATS: say what happens to its own records, hear as its own consumers, and nothing else. An event is
 * `management.<noun>.<verb>.v1`; where a noun is one process's alone, so is every verb of it. All say which requests were refused.
 */

/** @type {Readonly<Record<string, { says: readonly string[], consumers: readonly string[], watches?: true }>>} */
export const ON_THE_BUS = {
  gateway: { says: [], consumers: [], watches: true },
  access: {
    says: [
      'dashboard.created',
      'dashboard.updated',
      'dashboard.taken_over',
      'dashboard.deleted',
      'dashboard_secret.*',
      'dashboard_share.*',
      'visual.*',
      'visual_share.*',
    ],
    consumers: ['access-tidy', 'access-commit-settings'],
    watches: true,
  },
  audit: {
    says: ['webhook.*', 'webhook_secret.*'],
    consumers: ['audit-history', 'audit-log', 'audit-webhooks'],
  },
  directory: {
    says: [
      'organization.*',
      'project.*',
      'project_secret.*',
      'signing_key.*',
      'token.*',
      'tenant.*',
      'org_user.*',
      'tenant_user.*',
      'group.*',
      'group_member.*',
    ],
    consumers: ['directory-tidy'],
  },
  lifecycle: { says: ['dashboard.committed', 'migration.*', 'version_control.*'], consumers: [] },
  policy: {
    says: ['policy_assignment.*', 'policy_definition.*', 'policy_test.*'],
    consumers: ['policy-tidy'],
  },
  semantics: {
    says: [
      'connection.*',
      'connection_catalog.*',
      'datamodel.*',
      'domain.*',
      'domain_template.*',
      'assistant_profile.*',
    ],
    consumers: [],
  },
};

/** What a client asks of JetStream before it does anything, and what makes the streams where there are none. */
const COMMON = [
  '$JS.API.INFO',
  ...['MANAGEMENT', 'DEADLETTERS'].flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.CREATE.${stream}`,
  ]),
  'management.request.*.v1',
];

/** To make and fit a consumer, to take what it has, to say that it was handled or given up. @param {string} consumer */
const asConsumer = (consumer) => [
  `$JS.API.CONSUMER.*.MANAGEMENT.${consumer}`,
  `$JS.API.CONSUMER.CREATE.MANAGEMENT.${consumer}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.MANAGEMENT.${consumer}`,
  `$JS.API.CONSUMER.MSG.NEXT.MANAGEMENT.${consumer}`,
  `$JS.ACK.MANAGEMENT.${consumer}.>`,
  `deadletter.${consumer}`,
];

/**
 * The permissions of a process, as nats-server reads them. Whoever may not publish to a stream's or a consumer's subject of the API may
 * neither change nor delete it.
 * @param {string} name of the process
 */
export function permissionsOf(name) {
  const { says, consumers, watches } = /** @type {(typeof ON_THE_BUS)[string]} */ (ON_THE_BUS[name]);
  const events = says.map((what) => `management.${what}.v1`);
  return {
    publish: [...COMMON, ...events, ...consumers.flatMap(asConsumer)],
    subscribe: [
      '_INBOX.>',
      ...consumers.map((consumer) => `replay.${consumer}`),
      ...(watches ? ['management.>'] : []),
    ],
    // To the operator who replays an event.
    allow_responses: true,
  };
}
