import type { CloudEvent } from '@gatehouse/contract';
import { originOf, type CallContext, type EventOrigin } from '@gatehouse/service';

const SERVICE = 'directory';

/** The origin of the events of a principal's call. */
export function callOrigin(context: CallContext): EventOrigin {
  return originOf(SERVICE, context);
}

/** The organization that events of the platform's own affairs name: they belong to none. */
export const PLATFORM = 'platform';

/** The origin of the events of a call that the platform makes, for a project or for itself. */
export function systemOrigin(
  context: Pick<CallContext, 'requestId' | 'now'>,
  organizationId: string,
  projectId?: string,
): EventOrigin {
  const { requestId, now } = context;
  return { service: SERVICE, organizationId, projectId, requestId, actorId: projectId, now };
}

/** The origin of the events that follow from another event. */
export function followUpOrigin(event: CloudEvent, now: Date): EventOrigin {
  const { organizationid: organizationId, projectid: projectId, requestid: requestId } = event;
  return { service: SERVICE, organizationId, projectId, requestId, now };
}
