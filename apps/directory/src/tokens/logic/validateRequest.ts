import type {
  ClaimedTokenType,
  FieldError,
  FieldErrorCode,
  TokenRequest,
  TokenType,
} from '@gatehouse/contract';

/** The requested token type: explicit, or derived from whether the request names a dashboard. */
export function tokenTypeOf(request: TokenRequest): TokenType {
  return request.type ?? (request.dashboardId === undefined ? 'project' : 'dashboard');
}

/** The type in the claims of the requested token. */
export function claimedTypeOf(request: TokenRequest): ClaimedTokenType {
  return request.scope === undefined ? tokenTypeOf(request) : 'compiler';
}

type Field = keyof TokenRequest;

/**
 * The limit of the grants in a token, in bytes of JSON. In base64, with the rest of the token, they stay
 * below 12,000 characters: a token travels in a header, and servers commonly accept 16 KiB of headers in
 * total.
 */
export const GRANTS_BYTES_MAX = 8000;

const CREDENTIALS = {
  project: { required: ['projectId', 'projectSecret'], forbidden: ['dashboardId', 'dashboardSecret'] },
  dashboard: { required: ['dashboardId', 'dashboardSecret'], forbidden: ['projectSecret'] },
} as const satisfies Record<TokenType, { required: readonly Field[]; forbidden: readonly Field[] }>;

const IDENTITIES = ['orgUserId', 'endUserId', 'endUserEmail'] as const satisfies readonly Field[];
const TENANT_FIELDS = ['tenantId', 'tenantName'] as const satisfies readonly Field[];
const GRANT_FIELDS = [
  'semanticDomainAccess',
  'securityParams',
  'policies',
] as const satisfies readonly Field[];
const CREATION_FIELDS = ['role', 'displayName'] as const satisfies readonly Field[];
/** A token with a scope acts as no user and reads no domain. */
const NOT_WITH_SCOPE = [
  ...IDENTITIES,
  'autoCreateEndUser',
  'semanticDomainAccess',
] as const satisfies readonly Field[];

/**
 * Returns the fields that do not go with the others of a token request, each with its first error. Performs
 * no lookups.
 */
export function validateTokenRequest(request: TokenRequest): FieldError[] {
  if (request.signInCode !== undefined) return validateSignInCode(request);
  return firstOfEachField([
    ...validateCredentials(request),
    ...validateScope(request),
    ...validateIdentity(request),
    ...validateCreation(request),
    ...validateSize(request),
  ]);
}

/** A field that may not be there may break several rules, and each of them has the same fix. */
function firstOfEachField(errors: readonly FieldError[]): FieldError[] {
  return errors.filter(({ field }, index) => errors.findIndex((each) => each.field === field) === index);
}

/** A code stands for a complete request. Every request has a `tokenExpiry`, by default. */
function validateSignInCode(request: TokenRequest): FieldError[] {
  const fields = (Object.keys(request) as Field[]).filter(
    (field) => field !== 'signInCode' && field !== 'tokenExpiry',
  );
  return presentFields(request, fields).map(fieldError('does not go with signInCode', 'conflict'));
}

/** Returns the errors of a request for a sign-in code, which must name a user and a project. */
export function validateCodeRequest(request: TokenRequest): FieldError[] {
  const errors = validateTokenRequest(request);
  const surplus = presentFields(request, ['signInCode', 'scope', 'dashboardId']);
  const isNamed = IDENTITIES.some((field) => request[field] !== undefined);
  return firstOfEachField([
    ...errors,
    ...surplus.map(fieldError('does not go with a sign-in code', 'conflict')),
    ...(isNamed ? [] : [fieldError('is required for a sign-in code', 'required')('orgUserId')]),
  ]);
}

const presentFields = (request: TokenRequest, fields: readonly Field[]) =>
  fields.filter((field) => request[field] !== undefined);
const fieldError =
  (message: string, code: FieldErrorCode) =>
  (field: Field): FieldError => ({ field, message, code });

function validateCredentials(request: TokenRequest): FieldError[] {
  const type = tokenTypeOf(request);
  const { required, forbidden } = CREDENTIALS[type];
  const missing = required.filter((field) => request[field] === undefined);
  return [
    ...missing.map(fieldError(`is required for a ${type} token`, 'required')),
    ...presentFields(request, forbidden).map(fieldError(`does not go with a ${type} token`, 'conflict')),
  ];
}

function validateScope(request: TokenRequest): FieldError[] {
  if (request.scope === undefined) return [];
  if (tokenTypeOf(request) === 'dashboard')
    return [fieldError('does not go with a dashboard token', 'conflict')('scope')];
  return presentFields(request, NOT_WITH_SCOPE).map(fieldError('does not go with scope', 'conflict'));
}

function validateIdentity(request: TokenRequest): FieldError[] {
  const [, ...surplus] = presentFields(request, IDENTITIES);
  const errors = surplus.map(fieldError('a token acts as at most one user', 'conflict'));
  const tenants = presentFields(request, TENANT_FIELDS);
  if (request.endUserEmail === undefined)
    return [...errors, ...tenants.map(fieldError('goes with endUserEmail only', 'conflict'))];
  if (tenants.length === 0)
    errors.push(fieldError('is required with endUserEmail, or tenantName', 'required')('tenantId'));
  if (tenants.length === 2)
    errors.push(fieldError('give tenantId or tenantName, not both', 'conflict')('tenantName'));
  return errors;
}

function validateCreation(request: TokenRequest): FieldError[] {
  if (!request.autoCreateEndUser) {
    return presentFields(request, CREATION_FIELDS).map(
      fieldError('goes with autoCreateEndUser only', 'conflict'),
    );
  }
  return request.endUserEmail === undefined
    ? [fieldError('needs endUserEmail', 'conflict')('autoCreateEndUser')]
    : [];
}

function validateSize(request: TokenRequest): FieldError[] {
  const fields = presentFields(request, GRANT_FIELDS);
  const sizes = fields.map((field) => new TextEncoder().encode(JSON.stringify(request[field])).length);
  if (sizes.reduce((sum, size) => sum + size, 0) <= GRANTS_BYTES_MAX) return [];
  const largest = fields.filter((_field, index) => sizes[index] === Math.max(...sizes));
  const message = `a token carries at most ${GRANTS_BYTES_MAX} bytes of such values in all`;
  return largest.map(fieldError(message, 'length'));
}
