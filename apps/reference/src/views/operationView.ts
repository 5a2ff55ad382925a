import type { JsonSchema, OpenApiParameter } from '@gatehouse/contract';
import { errorSchemaOf, successOf, type Operation, type Reference } from '../operations.js';
import { describeSchema } from '../schemas.js';
import type { Session } from '../session.js';
import { code, element, lazyDetails, table, type Child } from './elements.js';
import { renderSchema } from './schemaView.js';
import { renderTry } from './tryView.js';

function renderParameters(parameters: readonly OpenApiParameter[]): Child[] {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => {
    const kind = [describeSchema(schema), description].filter(Boolean).join('. ');
    return [code(name), place, required ? 'yes' : 'no', kind];
  });
  return [element('h2', {}, ['Parameters']), table(['Name', 'In', 'Required', 'Value'], rows)];
}

function renderContent(
  reference: Reference,
  content: Readonly<Record<string, { schema: JsonSchema }>>,
  label: string,
): Child[] {
  return Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json'
      ? renderSchema(reference, schema, label)
      : lazyDetails(['As ', code(type)], () => renderSchema(reference, schema, `${label} as ${type}`)),
  );
}

function renderBody(reference: Reference, { requestBody }: Operation): Child[] {
  if (!requestBody) return [];
  const heading = element('h2', {}, [requestBody.required ? 'Body' : 'Body, optional']);
  return [heading, ...renderContent(reference, requestBody.content, 'body')];
}

function renderSuccess(reference: Reference, operation: Operation): Child[] {
  const success = successOf(operation);
  if (!success) return [];
  const { status, response } = success;
  const headers = Object.entries(response.headers ?? {}).map(([name, { description }]) =>
    element('p', {}, [code(name), ` ${description}`]),
  );
  const heading = element('h2', {}, [`Answer ${status}`]);
  return [heading, ...headers, ...renderContent(reference, response.content ?? {}, 'answer')];
}

function renderErrors(reference: Reference, operation: Operation): Child[] {
  const known = reference.document['x-errorCodes'];
  const rows = operation['x-errorCodes'].map((errorCode) => {
    const { status, message } = known[errorCode];
    return [String(status), element('a', { href: `#error-${errorCode}` }, [code(errorCode)]), message];
  });
  const form = errorSchemaOf(reference, operation);
  return [
    element('h2', {}, ['Errors']),
    element('p', {}, ['In the form of ', element('a', { href: `#schema-${form}` }, [form]), '.']),
    table(['Status', 'Code', 'Meaning'], rows),
  ];
}

/** A route: what it takes, what it answers, and a form that sends it. */
export function renderOperation(reference: Reference, operation: Operation, session: Session): Child[] {
  const { method, path, summary, description, operationId, deprecated } = operation;
  const place = element('p', { class: 'place' }, [
    element('span', { class: 'method' }, [method]),
    code(path),
  ]);
  const about = element('p', { class: 'quiet' }, [
    `${description} `,
    code(operationId),
    deprecated ? ' Deprecated.' : '',
  ]);
  return [
    element('h1', {}, [summary]),
    place,
    about,
    ...renderParameters(operation.parameters),
    ...renderBody(reference, operation),
    ...renderSuccess(reference, operation),
    ...renderErrors(reference, operation),
    element('h2', {}, ['Try it']),
    renderTry(reference, operation, session),
  ];
}
