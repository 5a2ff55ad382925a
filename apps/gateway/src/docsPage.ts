import type {
  JsonSchema,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiResponseOrRef,
} from '@gatehouse/contract';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid; }
details { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
code, pre { font: 14px/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .6rem; background: color-mix(in srgb, currentColor 8%, transparent); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; }
.method { display: inline-block; min-width: 4.2rem; font-weight: 700; }
`;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands in HTML, in an element or in an attribute's quotes. */
function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}

function table(heads: string[], rows: string[][]): string {
  if (rows.length === 0) return '';
  const head = heads.map((cell) => `<th>${escape(cell)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

const schemaName = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);

/** A schema in a line, as `string (1 to 200)`, with links to the components. */
function describeSchema(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = escape(schemaName(schema.$ref));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.enum) return schema.enum.map((value) => `<code>${escape(String(value))}</code>`).join(' ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => describeSchema(option)).join(' or ');
  if (schema.type === 'array') return `array of ${describeSchema((schema.items ?? {}) as JsonSchema)}`;
  const type = escape(String(schema.const ?? schema.type ?? 'any'));
  const limits = [schema.minLength ?? schema.minimum, schema.maxLength ?? schema.maximum];
  const [least = '', most = ''] = limits.map((limit) => (limit === undefined ? undefined : String(limit)));
  const range = least || most ? ` (${least} to ${most})` : '';
  const preset =
    schema.default === undefined ? '' : `, default <code>${escape(JSON.stringify(schema.default))}</code>`;
  return type + escape(range) + preset;
}

function renderFields(schema: JsonSchema): string {
  if (!schema.properties) return `<p>${describeSchema(schema)}</p>`;
  const rows = Object.entries(schema.properties).map(([name, field]) => [
    `<code>${escape(name)}</code>`,
    describeSchema(field as JsonSchema),
    schema.required?.includes(name) ? 'always' : 'optional',
  ]);
  return table(['Field', 'Value', ''], rows);
}

function renderParameters(parameters: readonly OpenApiParameter[]): string {
  const rows = parameters.map(({ name, in: place, required, schema, description }) => [
    `<code>${escape(name)}</code>`,
    escape(place),
    describeSchema(schema),
    [required ? 'required' : '', escape(description ?? '')].filter(Boolean).join('; '),
  ]);
  return table(['Parameter', 'In', 'Value', ''], rows);
}

function renderOperation(document: OpenApiDocument, heading: string, operation: OpenApiOperation): string {
  const find = (response: OpenApiResponseOrRef): OpenApiResponse =>
    '$ref' in response
      ? (document.components.responses[schemaName(response.$ref)] ?? { description: '' })
      : response;
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const { description, content } = find(response);
    const schema = content?.['application/json']?.schema;
    return [`<code>${escape(status)}</code>`, escape(description), schema ? renderFields(schema) : ''];
  });
  const body = operation.requestBody?.content['application/json']?.schema;
  return `<details id="${escape(operation.operationId)}">
<summary>${heading} ${escape(operation.summary)}</summary>
<p>${escape(operation.description)} <code>${escape(operation.operationId)}</code></p>
${renderParameters(operation.parameters)}
${body ? `<h4>Body</h4>${renderFields(body)}` : ''}
<h4>Answers</h4>${table(['Status', 'Meaning', 'Body'], responses)}
</details>`;
}

function renderTag(document: OpenApiDocument, tag: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => {
        const heading = `<span class="method">${escape(method.toUpperCase())}</span> <code>${escape(path)}</code>`;
        return renderOperation(document, heading, operation);
      }),
  );
  return `<h2>${escape(tag)}</h2>${operations.join('\n')}`;
}

/** Renders the reference: one page that needs nothing but itself. `style` is the text of its one style element. */
export function renderDocsPage(document: OpenApiDocument): { html: string; style: string } {
  const { info, tags, components } = document;
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary>${renderFields(schema)}</details>`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(info.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escape(info.title)}</h1>
<p>${escape(info.description)} The same as an <a href="/openapi.json">OpenAPI document</a>.</p>
${tags.map(({ name }) => renderTag(document, name)).join('\n')}
<h2>Records</h2>
${schemas.join('\n')}
</body>
</html>
`;
  return { html, style: STYLE };
}
