import type { JsonSchema, OpenApiParameter } from '../openapiDocument.js';
import type { RouteOption } from '../route.js';

const header = (
  name: string,
  description: string,
  schema: JsonSchema = { type: 'string' },
): OpenApiParameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});
export const IF_MATCH = header(
  'If-Match',
  'Entity tags; if none of them is current, nothing is changed and the status is 412',
);
export const IF_NONE_MATCH = header(
  'If-None-Match',
  'Entity tags; if one of them is current, the status is 304',
);
export const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Identifies the request: a repetition with the same key within 24 hours returns the first response. ' +
    'Operations that change nothing run again',
  { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
);

/** The options of routes. */
export const OPTIONS: Record<RouteOption, OpenApiParameter> = {
  validateOnly: {
    name: 'validateOnly',
    in: 'query',
    required: false,
    description: 'If true, the request passes every check and changes nothing',
    schema: { type: 'boolean' },
  },
  fields: {
    name: 'fields',
    in: 'query',
    required: false,
    description:
      'The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is',
    schema: { type: 'string', minLength: 1, maxLength: 2000 },
  },
};
