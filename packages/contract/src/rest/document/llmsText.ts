import type { OpenApiDocument } from '../openapiDocument.js';

/** What a program must know before its first request. */
const RULES = [
  'Get a token with `POST /api/v1/token`, and send it as `Authorization: Bearer <token>`.',
  'Bodies are JSON. Unknown fields and parameters are rejected with 400, and `fieldErrors` names them.',
  'Lists have `limit` and `cursor`; `nextCursor` of a response is the next `cursor`, and null at the end.',
  '`fields=title,permissions.canEdit` reduces the records of a response. `validateOnly=true` only checks.',
  'Send an `Idempotency-Key` with each POST, and `If-Match` with the `ETag` of what you change.',
];

const DOCUMENTS = [
  ['OpenAPI document', '/openapi.json', 'every operation with its fields, statuses, errors and examples'],
  ['API reference', '/docs', 'the same as a page'],
  ['Postman collection', '/postman.json', 'every operation as a request'],
  ['Signing keys', '/.well-known/jwks.json', 'the keys that verify access tokens'],
] as const;

const pointerTo = (path: string, method: string) =>
  `/openapi.json#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`;

/** Writes the operations of an OpenAPI document in the form of https://llmstxt.org. */
export function createLlmsText({ info, tags, paths }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, tags: own }]) => ({
      tag: own[0],
      line: `- [${operationId}](${pointerTo(path, method)}): \`${method.toUpperCase()} ${path}\`. ${summary}`,
    })),
  );
  const sections = tags.map(({ name, description }) => [
    `## ${name}`,
    ...(description === undefined ? [] : [description]),
    operations
      .filter(({ tag }) => tag === name)
      .map(({ line }) => line)
      .join('\n'),
  ]);
  const documents = DOCUMENTS.map(([name, path, text]) => `- [${name}](${path}): ${text}`);
  const [summary = ''] = info.description.split('\n');
  return [
    `# ${info.title}`,
    `> ${summary}`,
    RULES.map((rule) => `- ${rule}`).join('\n'),
    '## Documents',
    documents.join('\n'),
    ...sections.flat(),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}
