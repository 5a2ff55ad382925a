import type { Credentials } from './credentials.js';

/** The message after a start: addresses, a sign-in link, and a first request to paste. */
export function describeStart({
  credentials,
  credentialsFile,
  metricsUrls,
  signInCode,
}: {
  credentials: Credentials;
  credentialsFile: string;
  metricsUrls: readonly string[];
  /** Signs the first ADMIN in once; null if the credentials are no longer valid. */
  signInCode: string | null;
}): string {
  const { baseUrl, projectId } = credentials;
  const script =
    `const c = require(${JSON.stringify(credentialsFile)}); ` +
    'JSON.stringify({ projectId: c.projectId, projectSecret: c.projectSecret, orgUserId: c.adminOrgUserId })';
  const body = `"$(node -p ${quoteForShell(script)})"`;
  return [
    `Gatehouse listens on ${baseUrl}`,
    `Credentials: ${credentialsFile}`,
    `Console: ${baseUrl}/console`,
    ...(signInCode === null
      ? []
      : [
          `Sign in, once within ten minutes: ${baseUrl}/console?project=${projectId}#sign-in=${signInCode}`,
          `Another link: npm run --silent gatehouse -- console --from ${quoteForShell(credentialsFile)}`,
        ]),
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
