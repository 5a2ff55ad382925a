import { ERROR_MESSAGE, ERROR_STATUS, type ErrorCode } from '../../errors.js';
import { MIGRATION_CODES, SECURITY_CODES } from '../errorBodies.js';
import type { OpenApiHeader, OpenApiResponse, OpenApiResponseOrRef } from '../openapiDocument.js';
import { COMMON_ERRORS, hasEntityTag, type Route, type RouteArea } from '../route.js';
import { pascalCase } from './nameParts.js';

const ERROR_BODY_NAMES: Record<RouteArea, string> = {
  management: 'ManagementError',
  service: 'ManagementError',
  tenantUsers: 'TenantUserError',
  token: 'TokenError',
  domains: 'DomainError',
  security: 'SecurityError',
  validation: 'ValidationError',
  migration: 'MigrationError',
};

/** Generators make types of the names of components. */
const NAME_MAX = 50;

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** The headers of responses, by name. */
const HEADERS = {
  'X-Request-Id': { description: 'The id of the request, as in the log and the audit log', schema: text },
  ETag: {
    description: 'The strong entity tag of the record; send it in If-Match to change it',
    schema: text,
  },
  Location: { description: 'The path of the new record', schema: text },
  'Cache-Control': {
    description: 'How long a cache may keep the response; `no-store` if it must not keep it at all',
    schema: text,
  },
  RateLimit: {
    description: 'The rest of the current minute: requests left (`r`) and seconds until they reset (`t`)',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'The limit that applies: requests (`q`) in a window of seconds (`w`)',
    schema: text,
  },
  'Retry-After': { description: 'The seconds to wait before the request is repeated', schema: count },
  'WWW-Authenticate': { description: 'The scheme of authentication, `Bearer`', schema: text },
  Deprecation: { description: 'The start of the deprecation, as a structured date (RFC 9745)', schema: text },
  Sunset: { description: 'The end of support, as an HTTP date (RFC 8594)', schema: text },
  Link: { description: 'The page that describes the replacement', schema: text },
} as const satisfies Record<string, OpenApiHeader>;
type HeaderName = keyof typeof HEADERS;

const HEADER_PREFIX = '#/components/headers/';

function headersNamed(names: readonly HeaderName[]): NonNullable<OpenApiResponse['headers']> {
  return Object.fromEntries(names.map((name) => [name, { $ref: HEADER_PREFIX + name }]));
}

const EVERYWHERE = ['X-Request-Id', 'Cache-Control'] as const;
const RATE_LIMITS = ['RateLimit', 'RateLimit-Policy'] as const;
const DEPRECATIONS: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** The headers of a document; those of deprecations only if something in it is deprecated. */
export function headersOf(hasDeprecations: boolean): Record<string, OpenApiHeader> {
  const used = Object.entries(HEADERS).filter(
    ([name]) => hasDeprecations || !DEPRECATIONS.includes(name as HeaderName),
  );
  return Object.fromEntries(used);
}

/** The headers of a success response. */
export function successHeaders(route: Route, isDeprecated: boolean): NonNullable<OpenApiResponse['headers']> {
  return headersNamed([
    ...EVERYWHERE,
    ...RATE_LIMITS,
    ...(hasEntityTag(route) ? (['ETag'] as const) : []),
    ...(route.success === 201 ? (['Location'] as const) : []),
    ...(isDeprecated ? DEPRECATIONS : []),
  ]);
}

export const NOT_MODIFIED: OpenApiResponse = {
  description: 'If-None-Match names the entity tag of the response',
  headers: headersNamed(['ETag', ...EVERYWHERE, ...RATE_LIMITS]),
};

/** Errors of a request that has not arrived. One without a valid token counts against its address. */
const UNCOUNTED: readonly number[] = [408, 413, 431];

function errorHeaders(status: number): NonNullable<OpenApiResponse['headers']> {
  return headersNamed([
    ...EVERYWHERE,
    ...(UNCOUNTED.includes(status) ? [] : RATE_LIMITS),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 || status === 409 ? (['Retry-After'] as const) : []),
  ]);
}

/** The code as the bodies of an area have it. */
function codeInArea(code: ErrorCode, area: RouteArea): string {
  const renamed: Partial<Record<ErrorCode, string>> =
    area === 'security' ? SECURITY_CODES : area === 'migration' ? MIGRATION_CODES : {};
  return renamed[code] ?? code;
}

/** Collects the error responses that operations share. */
export class ErrorResponses {
  readonly components: Record<string, OpenApiResponse> = {};

  /** The error responses of a route, by status: each lists all of its codes. */
  of({ area, errors }: Route): Record<string, OpenApiResponseOrRef> {
    const declared = [...errors, ...COMMON_ERRORS];
    const statuses = [...new Set(declared.map((code) => ERROR_STATUS[code]))];
    const responses = statuses.map((status) => {
      const codes = declared.filter((code) => ERROR_STATUS[code] === status);
      return [status, this.#share(area, codes)] as const;
    });
    return { ...Object.fromEntries(responses), default: this.#other(area) };
  }

  #share(area: RouteArea, codes: readonly ErrorCode[]): OpenApiResponseOrRef {
    const sorted = codes.toSorted();
    const status = ERROR_STATUS[sorted[0] as ErrorCode];
    const names = sorted.map((code) => codeInArea(code, area));
    const lines = sorted.map((code) => `\`${codeInArea(code, area)}\`: ${ERROR_MESSAGE[code]}`);
    const description = lines.length === 1 ? String(lines[0]) : lines.map((line) => `- ${line}`).join('\n');
    const response = {
      ...this.#create(area, description),
      headers: errorHeaders(status),
      'x-errorCodes': names,
    };
    const name = ERROR_BODY_NAMES[area] + names.map((code) => pascalCase(code.toLowerCase())).join('Or');
    return name.length > NAME_MAX ? response : this.#add(name, response);
  }

  #other(area: RouteArea): OpenApiResponseOrRef {
    const description = 'Any other error: a proxy in between, or a later release, may return one';
    return this.#add(`${ERROR_BODY_NAMES[area]}Other`, this.#create(area, description));
  }

  #create(area: RouteArea, description: string): OpenApiResponse {
    const schema = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });
    return {
      description,
      content: {
        'application/json': schema(ERROR_BODY_NAMES[area]),
        'application/problem+json': schema('Problem'),
      },
    };
  }

  #add(name: string, response: OpenApiResponse): { $ref: string } {
    this.components[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }
}
