import type { CloudEvent } from '@gatehouse/contract';
import { originOf, type CallContext, type EventOrigin } from '@gatehouse/service';

const SERVICE = 'policy';

/** The origin of the events of a principal's call. */
export function callOrigin(context: CallContext): EventOrigin {
  return originOf(SERVICE, context);
}

/** The origin of the events that follow from another event, in the project of the record that they are about. */
export function followUpOrigin(event: CloudEvent, projectId: string, now: Date): EventOrigin {
  const { organizationid: organizationId, requestid: requestId } = event;
  return { service: SERVICE, organizationId, projectId, requestId, now };
}
