import { GatehouseError } from '@gatehouse/client';

/** An error of a field that needs no request. */
export function faultOf(field: string, message: string): GatehouseError {
  return new GatehouseError({
    status: 400,
    code: 'INVALID_REQUEST',
    area: 'token',
    message,
    fieldErrors: [{ field, message, code: 'format' }],
    blockedBy: [],
    details: {},
    requestId: null,
    retryAfterSeconds: null,
  });
}

/** The fields of the form by those of the request that it makes. */
const FORM_FIELDS: Readonly<Record<string, string>> = {
  orgUserId: 'person',
  endUserId: 'person',
  'semanticDomainAccess.domains': 'domains',
};

/** The same error, with the names of the fields of the form. A rejection belongs to what was rejected. */
export function asFormError(error: unknown): unknown {
  if (!(error instanceof GatehouseError)) return error;
  const fieldErrors = error.fieldErrors.map((fault) => ({
    ...fault,
    field: FORM_FIELDS[fault.field] ?? fault.field,
  }));
  return withFaults(error, error.status === 401 ? [rejectionOf(error)] : fieldErrors);
}

function rejectionOf({ message }: GatehouseError): GatehouseError['fieldErrors'][number] {
  const field = /deactivated/.test(message) ? 'person' : 'projectSecret';
  return { field, message, code: 'reference' };
}

function withFaults(error: GatehouseError, fieldErrors: GatehouseError['fieldErrors']): GatehouseError {
  const { status, code, area, message, blockedBy, details, requestId, retryAfterSeconds } = error;
  return new GatehouseError({
    status,
    code,
    area,
    message,
    fieldErrors,
    blockedBy,
    details,
    requestId,
    retryAfterSeconds,
  });
}
