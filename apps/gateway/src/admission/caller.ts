/** The party whose share of the gateway a request uses. */
export interface Caller {
  /** The id of the organization, or the common share of all callers without a verified token. */
  share: string;
  /** The network of a caller without a token, which divides their common share. Null for an organization. */
  address: string | null;
}

/** No organization has an id of this form. */
const UNAUTHENTICATED = 'unauthenticated';

/** Returns a caller without a verified token. */
export function unauthenticatedCaller(address: string): Caller {
  return { share: UNAUTHENTICATED, address };
}

/** Returns a caller of an organization. */
export function memberOf(organizationId: string): Caller {
  return { share: organizationId, address: null };
}
