import { access, audit, type EventType } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { defineConsumer } from './events/defineConsumer.js';
import { createEvent } from './mongo/outbox.js';
import { defineService, type ServiceParts, type ServiceRuntime } from './serviceDefinition.js';

const never = async (): Promise<never> => {
  throw new Error('is not assembled');
};
const ignore = async () => {};

const eventOf = (service: string, type: EventType & `${string}.group.deleted.v1`) =>
  createEvent(type, 'g_1', {
    origin: { service, organizationId: 'o_1', now: new Date() },
    data: { id: 'g_1', name: 'Buyers', type: 'TENANT', tenantId: 't_1', userIds: [] },
  });

describe('a service', () => {
  it('calls the services that the manifest lists', () => {
    const assemble: (runtime: ServiceRuntime<'directory' | 'audit' | 'lifecycle'>) => Promise<never> = never;
    const definition = defineService(access, {}, assemble);
    expect(definition).toMatchObject({
      name: 'access',
      database: 'access',
      calls: ['directory', 'audit', 'lifecycle'],
    });
  });

  it('does not compile if it calls a service that the manifest does not list', () => {
    const assemble: (runtime: ServiceRuntime<'policy'>) => Promise<never> = never;
    // @ts-expect-error The manifest does not permit audit to call policy.
    expect(defineService(audit, {}, assemble).calls).toEqual(['directory']);
    defineService(audit, {}, async ({ services }) => {
      // @ts-expect-error The runtime of audit has no client of policy.
      expect(services.policy).toBeUndefined();
      return never();
    });
  });

  it('does not compile with the consumer of another service', () => {
    type Parts = ServiceParts<typeof audit.procedures, 'audit-log' | 'audit-history' | 'audit-webhooks'>;
    const consumers: Parts['consumers'] = [
      defineConsumer('audit-log', ignore),
      // @ts-expect-error It belongs to policy.
      defineConsumer('policy-tidy', ignore),
    ];
    expect(consumers.map(({ types }) => types[0])).toEqual([
      'management.*.*.v1',
      'management.tenant_user.deleted.v1',
    ]);
  });
});

describe('an event', () => {
  it('is created for its publisher', () => {
    expect(eventOf('directory', 'management.group.deleted.v1').source).toBe('/gatehouse/directory');
  });

  it('is rejected if the manifest does not permit the service to publish it', () => {
    expect(() => eventOf('access', 'management.group.deleted.v1')).toThrow(
      'the manifest does not permit access to publish management.group.deleted.v1',
    );
  });
});
