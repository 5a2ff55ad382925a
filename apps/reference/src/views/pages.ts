import type { ErrorCode } from '@gatehouse/contract';
import { examples } from '../examples/index.js';
import type { Operation, Reference } from '../operations.js';
import { buildRequest, writeCurl } from '../requests.js';
import { code, element, preformatted, table, type Child } from './elements.js';
import { renderSchema } from './schemaView.js';

/** The command that asks for a token, as the example of its route has it. */
function writeTokenCommand(): string {
  const body = JSON.stringify(examples.issueToken.body);
  const parts = { method: 'POST', path: '/api/v1/token', parameters: {}, body, isAuthorized: false };
  return writeCurl(buildRequest(parts), location.origin);
}

function renderRoutes(operations: readonly Operation[]): HTMLElement {
  const items = operations.map(({ operationId, method, path, summary }) =>
    element('li', {}, [
      element('a', { href: `#${operationId}` }, [element('span', { class: 'method' }, [method]), code(path)]),
      element('p', {}, [summary]),
    ]),
  );
  return element('ul', { class: 'routes' }, items);
}

/** What the reader sees first: how to get a token, the areas, and every error code. */
export function renderHome({ document, operations }: Reference): Child[] {
  const areas = document.tags.map(({ name }) => {
    const count = operations.filter(({ tags }) => tags.includes(name)).length;
    return [element('a', { href: `#area-${encodeURIComponent(name)}` }, [name]), String(count)];
  });
  const errors = Object.entries(document['x-errorCodes']).map(([name, { status, message }]) => [
    String(status),
    element('a', { href: `#error-${name}` }, [code(name)]),
    message,
  ]);
  return [
    element('h1', {}, [document.info.title]),
    element('p', {}, [
      document.info.description,
      ' The same as an ',
      element('a', { href: '/openapi.json' }, ['OpenAPI document']),
      '.',
    ]),
    element('h2', {}, ['A token']),
    element('p', {}, [
      'Every route but a few takes an access token: ',
      element('a', { href: '#issueToken' }, ['ask for one']),
      ' with what the first start wrote into credentials.json, and paste it at the top of the page. Each route has an ' +
        'example that works on the demo organization; what one example makes is called Example, and another ends it.',
    ]),
    preformatted(writeTokenCommand(), 'Command that asks for a token'),
    element('h2', {}, ['Areas']),
    table(['Area', 'Routes'], areas),
    element('h2', {}, ['Errors']),
    table(['Status', 'Code', 'Meaning'], errors),
  ];
}

/** The routes of an area; null where there is no such area. */
export function renderArea({ operations }: Reference, name: string): Child[] | null {
  const inArea = operations.filter(({ tags }) => tags.includes(name));
  return inArea.length === 0 ? null : [element('h1', {}, [name]), renderRoutes(inArea)];
}

/** A record by its name; null where there is none. */
export function renderRecord(reference: Reference, name: string): Child[] | null {
  const schema = reference.document.components.schemas[name];
  return schema ? [element('h1', {}, [name]), renderSchema(reference, schema, name)] : null;
}

/** An error code, and the routes that may answer it; null where there is none. */
export function renderError({ document, operations }: Reference, name: string): Child[] | null {
  if (!Object.hasOwn(document['x-errorCodes'], name)) return null;
  const errorCode = name as ErrorCode;
  const { status, message } = document['x-errorCodes'][errorCode];
  const answering = operations.filter((operation) => operation['x-errorCodes'].includes(errorCode));
  return [
    element('h1', {}, [code(name)]),
    element('p', {}, [`Status ${status}. ${message}.`]),
    element('h2', {}, [`Routes that may answer it: ${answering.length} of ${operations.length}`]),
    renderRoutes(answering),
  ];
}
