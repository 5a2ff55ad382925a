import type { CodeSample } from '../openapiDocument.js';
import { inputFieldsOf, type Route } from '../route.js';
import { writeCommand } from './commandSample.js';
import type { SampleInput } from './sampleInput.js';

function targetOf(route: Route, { parameters }: SampleInput): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));
  const { query } = inputFieldsOf(route);
  const given = Object.entries(parameters).filter(([name]) => query.includes(name));
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return search === '' ? path : `${path}?${search}`;
}

const indent = (text: string, width: number) => text.replaceAll('\n', `\n${' '.repeat(width)}`);

function writeCurl(route: Route, input: SampleInput): string {
  const lines = [`curl -s "$GATEHOUSE_URL${targetOf(route, input)}"`];
  const isDefault = route.method === (input.body ? 'POST' : 'GET');
  if (!isDefault) lines.push(`-X ${route.method}`);
  if (route.tokens !== 'none') lines.push('-H "Authorization: Bearer $TOKEN"');
  if (input.body) {
    lines.push("-H 'Content-Type: application/json'");
    const json = JSON.stringify(input.body, null, 2).replaceAll("'", String.raw`'\''`);
    lines.push(`-d '${json}'`);
  }
  return lines.join(' \\\n  ');
}

/** A value as a literal of TypeScript. */
function writeLiteral(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([key, part]) => `${/^\w+$/.test(key) ? key : writeLiteral(key)}: ${indent(writeLiteral(part), 2)},`,
  );
  if (fields.length === 0) return '{}';
  return `{\n  ${fields.join('\n  ')}\n}`;
}

function writeTypeScript(route: Route, { parameters, body }: SampleInput): string {
  const input = { ...parameters, ...body };
  const argument = Object.keys(input).length === 0 ? '' : writeLiteral(input);
  return [
    "import { createClient } from '@gatehouse/client';",
    '',
    'const client = createClient({ baseUrl, credentials });',
    `const result = await client.${route.operationId}(${argument});`,
  ].join('\n');
}

/** The samples of a request: for curl, for the client and for the command line. */
export function writeSamples(route: Route, input: SampleInput): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: writeCurl(route, input) },
    { lang: 'TypeScript', label: '@gatehouse/client', source: writeTypeScript(route, input) },
    { lang: 'Shell', label: 'gatehouse', source: writeCommand(route, input) },
  ];
}
