import type { Credentials } from './credentials.js';

/** The message after a start: the address, the credentials file, and a first request to paste. */
export function describeStart({
  credentials,
  credentialsFile,
  metricsUrls,
}: {
  credentials: Credentials;
  credentialsFile: string;
  metricsUrls: readonly string[];
}): string {
  const { baseUrl } = credentials;
  const script =
    `const c = require(${JSON.stringify(credentialsFile)}); ` +
    'JSON.stringify({ projectId: c.projectId, projectSecret: c.projectSecret, orgUserId: c.adminOrgUserId })';
  const body = `"$(node -p ${quoteForShell(script)})"`;
  return [
    `Gatehouse listens on ${baseUrl}`,
    `Credentials: ${credentialsFile}`,
    `Console: ${baseUrl}/console`,
    `API reference: ${baseUrl}/docs`,
    `OpenAPI document: ${baseUrl}/openapi.json`,
    ...metricsUrls.map((url) => `Metrics: ${url}`),
    'A first request, for an access token of the first ADMIN:',
    '',
    `curl -s ${baseUrl}/api/v1/token -H 'Content-Type: application/json' -d ${body}`,
    '',
    '',
  ].join('\n');
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
