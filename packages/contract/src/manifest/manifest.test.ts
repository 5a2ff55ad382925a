import { describe, expect, it } from 'vitest';
import { EVENT_CATALOGUE, type EventType } from '../events.js';
import { access } from '../services/access.js';
import { policy } from '../services/policy.js';
import { defineServices, type ServiceEntry } from './entry.js';
import {
  consumedEvents,
  isPublisher,
  ownVariables,
  PROCESS_NAMES,
  processEntry,
  SERVICE_NAMES,
  serviceEntry,
  services,
} from './lookups.js';
import { serviceManifest } from './services.js';

const entries = SERVICE_NAMES.map(serviceEntry);
const eventTypes = Object.keys(EVENT_CATALOGUE) as EventType[];

/** An entry of a service that does nothing, to be changed by a test. */
const idle = {
  port: 9000,
  database: 'idle',
  calls: [],
  secrets: [],
  publishes: [],
  consumers: {},
  watches: [],
  deployment: { cpu: '100m', memory: '64Mi', memoryMax: '128Mi', replicasMax: 2 },
} as const satisfies Omit<ServiceEntry, 'contract'>;

describe('the service manifest', () => {
  it('keeps the ports and databases of installations', () => {
    expect(serviceManifest).toMatchObject({
      directory: { port: 8091, database: 'directory' },
      access: { port: 8092, database: 'access' },
      semantics: { port: 8093, database: 'semantics' },
      policy: { port: 8094, database: 'policy' },
      lifecycle: { port: 8095, database: 'lifecycle' },
      audit: { port: 8096, database: 'audit' },
    });
  });

  it('keeps the secrets and settings of installations', () => {
    const common = ['INTERNAL_VERIFY_KEY', 'MONGODB_URL', 'NATS_URL'];
    expect(
      Object.fromEntries(PROCESS_NAMES.map((name) => [name, ownVariables(name).toSorted()])),
    ).toMatchObject({
      gateway: ['INTERNAL_SIGNING_KEY', 'NATS_URL', 'OIDC_CLIENT_SECRET'],
      directory: [...common, 'SEALING_KEYS'],
      access: common,
      semantics: ['CONNECTION_HOSTS', ...common, 'SEALING_KEYS', 'SQLITE_DIR'],
      policy: [...common, 'SEALING_KEYS'],
      lifecycle: [
        'INTERNAL_VERIFY_KEY',
        'LIFECYCLE_SIGNING_KEY',
        'MONGODB_URL',
        'NATS_URL',
        'REPOSITORY_DIR',
        'REPOSITORY_HOSTS',
        'SEALING_KEYS',
      ],
      audit: [...common, 'SEALING_KEYS', 'WEBHOOK_HOSTS'],
    });
  });

  it('has one contract, port, database and set of consumers for each service', () => {
    const consumers = entries.flatMap((entry) => Object.keys(entry.consumers));
    const columns: (string | number)[][] = [
      entries.map(({ contract }) => contract.name),
      entries.map(({ port }) => port),
      entries.map(({ database }) => database),
      consumers,
    ];
    for (const values of columns) expect(values).toEqual([...new Set(values)]);
    expect(Object.keys(services)).toEqual(SERVICE_NAMES);
  });

  it('has one publisher for each event, except for rejected requests', () => {
    const publishers = (type: EventType) => PROCESS_NAMES.filter((name) => isPublisher(name, type));
    const shared = eventTypes.filter((type) => publishers(type).length !== 1);
    expect(shared).toEqual(['management.request.refused.v1']);
    expect(publishers('management.request.refused.v1')).toEqual(PROCESS_NAMES);
    expect(publishers('management.dashboard.committed.v1')).toEqual(['lifecycle']);
    expect(publishers('management.dashboard.updated.v1')).toEqual(['access']);
  });

  it('returns the events of a consumer', () => {
    expect(consumedEvents('access-commit-settings')).toEqual([
      'management.version_control.updated.v1',
      'management.version_control.removed.v1',
    ]);
  });

  it('lets no process hold both the key that signs for users and a database', () => {
    const signers = PROCESS_NAMES.filter((name) =>
      processEntry(name).secrets.includes('INTERNAL_SIGNING_KEY'),
    );
    expect(signers).toEqual(['gateway']);
    expect(processEntry('gateway').secrets).not.toContain('MONGODB_URL');
  });
});

describe('a table of services', () => {
  it('compiles with its own services as callees', () => {
    const table = defineServices({
      access: { ...idle, contract: access, calls: ['policy'] },
      policy: { ...idle, contract: policy },
    });
    expect(table.access.calls).toEqual(['policy']);
  });

  it('does not compile with an unknown callee, a wrong name or an unknown event', () => {
    const tables = [
      // @ts-expect-error There is no service `audit` in this table.
      () => defineServices({ access: { ...idle, contract: access, calls: ['audit'] } }),
      // @ts-expect-error The contract has another name.
      () => defineServices({ reports: { ...idle, contract: access } }),
      // @ts-expect-error The catalogue has no such event.
      () => defineServices({ access: { ...idle, contract: access, publishes: ['management.dish.*.v1'] } }),
      // @ts-expect-error There is no such secret.
      () => defineServices({ access: { ...idle, contract: access, secrets: ['ROOT_PASSWORD'] } }),
    ];
    expect(tables).toHaveLength(4);
  });
});
