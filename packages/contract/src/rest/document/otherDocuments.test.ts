import { describe, expect, it } from 'vitest';
import { routes } from '../index.js';
import { createOpenApiDocument } from '../openapi.js';
import { createLlmsText } from './llmsText.js';
import { createPostmanCollection } from './postman.js';

const document = createOpenApiDocument();

describe('the Postman collection', () => {
  const collection = createPostmanCollection(document);
  const requests = collection.item.flatMap(({ item }) => item);

  it('has each operation once, under its tag', () => {
    const written = requests.map(({ request }) => `${request.method} /${request.url.path.join('/')}`);
    const expected = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    expect(written.toSorted()).toEqual(expected.toSorted());
    expect(collection.item.map(({ name }) => name)).toEqual(document.tags.map(({ name }) => name));
  });

  it('has a value for each variable of a path, and sends no parameter without one', () => {
    const empty = requests.flatMap(({ name, request: { url } }) => [
      ...url.variable.filter(({ value }) => value === '').map(({ key }) => `${name}: ${key}`),
      ...url.query
        .filter(({ value, disabled }) => value === '' && !disabled)
        .map(({ key }) => `${name}: ${key}`),
    ]);
    expect(empty).toEqual([]);
    const named = requests.map(({ request: { url } }) => [
      url.path.filter((part) => part.startsWith(':')).map((part) => part.slice(1)),
      url.variable.map(({ key }) => key),
    ]);
    expect(named.filter(([inPath, variables]) => inPath?.join() !== variables?.join())).toEqual([]);
  });

  it('has a body and a response in JSON for each operation, and a token for those that take one', () => {
    for (const { request, response } of requests) {
      if (request.body) expect(() => JSON.parse(request.body?.raw ?? '') as unknown).not.toThrow();
      expect(response.map(({ code }) => code)).toHaveLength(1);
      expect(() => JSON.parse(response[0]?.body ?? '') as unknown).not.toThrow();
    }
    const open = requests.filter(({ request }) => request.auth?.type === 'noauth');
    expect(open).toHaveLength(routes.filter(({ tokens }) => tokens === 'none').length);
  });
});

describe('llms.txt', () => {
  const text = createLlmsText(document);

  it('begins with a title and a summary, and has a section for each tag', () => {
    expect(text).toMatch(/^# [^\n]+\n\n> [^\n]+\n\n/);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(['Documents', ...document.tags.map(({ name }) => name)]);
  });

  it('links each operation in the document', () => {
    const links = [...text.matchAll(/\]\(\/openapi\.json#([^)]+)\)/g)].map(([, pointer = '']) => pointer);
    const found = links.map((pointer) =>
      pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document),
    );
    expect(found).toHaveLength(routes.length);
    expect(found.filter((operation) => !(operation as { operationId?: string }).operationId)).toEqual([]);
  });
});
