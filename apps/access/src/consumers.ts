import { EVENT_CATALOGUE, type CloudEvent } from '@gatehouse/contract';
import type { DurableConsumer } from '@gatehouse/service';
import { groupKey } from './logic/shareScope.js';
import type { ResourceKinds } from './operations/resourceKind.js';
import { tidyAfterDeparture, type Departure } from './operations/tidying.js';

type Leaving = Pick<Departure, 'subject' | 'heir'>;

/** The events after which there is something to tidy up, and who left in each. */
const DEPARTURES = {
  'management.tenant_user.deleted.v1': (data: unknown): Leaving => {
    const { key, heir } = EVENT_CATALOGUE['management.tenant_user.deleted.v1'].parse(data);
    return { subject: key, heir };
  },
  'management.org_user.deleted.v1': (data: unknown): Leaving => {
    const { key } = EVENT_CATALOGUE['management.org_user.deleted.v1'].parse(data);
    return { subject: key, heir: null };
  },
  'management.group.deleted.v1': (data: unknown): Leaving => {
    const { id } = EVENT_CATALOGUE['management.group.deleted.v1'].parse(data);
    return { subject: groupKey(id), heir: null };
  },
  'management.tenant.deleted.v1': (data: unknown): Leaving => {
    const { key } = EVENT_CATALOGUE['management.tenant.deleted.v1'].parse(data);
    return { subject: key, heir: null };
  },
};

function departureOf({ type, data, organizationid, requestid }: CloudEvent): Departure | null {
  if (!Object.hasOwn(DEPARTURES, type)) return null;
  const leaving = DEPARTURES[type as keyof typeof DEPARTURES](data);
  return { ...leaving, organizationId: organizationid, requestId: requestid };
}

/**
 * Tidies up after deleted users, groups and tenants. Access does not wait for it: keys are never given again, so that what
 * is still shared with somebody who is gone reaches nobody.
 */
export function createTidyConsumer({ dashboards, visuals }: ResourceKinds): DurableConsumer {
  return {
    name: 'access-tidy',
    types: Object.keys(DEPARTURES),
    async handle(event) {
      const departure = departureOf(event);
      if (departure === null) return;
      const now = new Date();
      await tidyAfterDeparture(dashboards, departure, now);
      await tidyAfterDeparture(visuals, departure, now);
    },
  };
}
