import type { FieldError, TokenRequest, TokenType } from '@gatehouse/contract';

/** The type of token that a request asks for: said, or known by its naming a dashboard. */
export function tokenTypeOf(request: TokenRequest): TokenType {
  return request.type ?? (request.dashboardId === undefined ? 'project' : 'dashboard');
}

type Field = keyof TokenRequest;

/**
 * What a token carries beside its identity, in bytes of JSON. In base64 and with the rest of the token it stays below
 * 12,000 characters: a token travels in a header, and servers commonly take 16 KiB of headers in all.
 */
export const GRANTS_BYTES_MAX = 8000;

const CREDENTIALS = {
  project: { required: ['projectId', 'projectSecret'], refused: ['dashboardId', 'dashboardSecret'] },
  dashboard: { required: ['dashboardId', 'dashboardSecret'], refused: ['projectSecret'] },
} as const satisfies Record<TokenType, { required: readonly Field[]; refused: readonly Field[] }>;

const IDENTITIES = ['orgUserId', 'endUserId', 'endUserEmail'] as const satisfies readonly Field[];
const TENANT_FIELDS = ['tenantId', 'tenantName'] as const satisfies readonly Field[];
const GRANT_FIELDS = [
  'semanticDomainAccess',
  'securityParams',
  'policies',
] as const satisfies readonly Field[];
const CREATION_FIELDS = ['role', 'displayName'] as const satisfies readonly Field[];

/** Every fault in the combination of a token request's fields. Looks nothing up. */
export function findTokenRequestFaults(request: TokenRequest): FieldError[] {
  return [
    ...findCredentialFaults(request),
    ...findIdentityFaults(request),
    ...findCreationFaults(request),
    ...findSizeFaults(request),
  ];
}

const given = (request: TokenRequest, fields: readonly Field[]) =>
  fields.filter((field) => request[field] !== undefined);
const fault = (message: string) => (field: Field) => ({ field, message });

function findCredentialFaults(request: TokenRequest): FieldError[] {
  const type = tokenTypeOf(request);
  const { required, refused } = CREDENTIALS[type];
  const missing = required.filter((field) => request[field] === undefined);
  return [
    ...missing.map(fault(`is required for a ${type} token`)),
    ...given(request, refused).map(fault(`does not go with a ${type} token`)),
  ];
}

function findIdentityFaults(request: TokenRequest): FieldError[] {
  const [, ...surplus] = given(request, IDENTITIES);
  const faults = surplus.map(fault('a token acts as at most one user'));
  const tenants = given(request, TENANT_FIELDS);
  if (request.endUserEmail === undefined)
    return [...faults, ...tenants.map(fault('goes with endUserEmail only'))];
  if (tenants.length === 0) faults.push(fault('is required with endUserEmail, or tenantName')('tenantId'));
  if (tenants.length === 2) faults.push(fault('give tenantId or tenantName, not both')('tenantName'));
  return faults;
}

function findCreationFaults(request: TokenRequest): FieldError[] {
  if (!request.autoCreateEndUser) {
    return given(request, CREATION_FIELDS).map(fault('goes with autoCreateEndUser only'));
  }
  return request.endUserEmail === undefined ? [fault('needs endUserEmail')('autoCreateEndUser')] : [];
}

function findSizeFaults(request: TokenRequest): FieldError[] {
  const fields = given(request, GRANT_FIELDS);
  const sizes = fields.map((field) => new TextEncoder().encode(JSON.stringify(request[field])).length);
  if (sizes.reduce((sum, size) => sum + size, 0) <= GRANTS_BYTES_MAX) return [];
  const largest = fields.filter((_field, index) => sizes[index] === Math.max(...sizes));
  return largest.map(fault(`a token carries at most ${GRANTS_BYTES_MAX} bytes of such values in all`));
}
