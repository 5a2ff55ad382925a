import { createOpenApiDocument } from '@gatehouse/contract/openapi';
import { describe, expect, it } from 'vitest';
import { describeDocument } from './document.js';

interface Shown {
  info: { description: string };
  paths: Record<string, Record<string, ShownOperation>>;
}

interface ShownOperation {
  operationId: string;
  description: string;
  parameters: { name: string; in: string; examples?: { Example: { value: string } } }[];
  requestBody?: { required: boolean; content: Record<string, { examples?: object }> };
}

describe('the document that the page shows', () => {
  const document = createOpenApiDocument();
  const shown = describeDocument(document) as unknown as Shown;
  const operations = Object.values(shown.paths).flatMap((methods) => Object.values(methods));

  it('has an example for every path parameter and every required body', () => {
    const missing = operations.filter(
      ({ parameters, requestBody }) =>
        parameters.some((parameter) => parameter.in === 'path' && !parameter.examples) ||
        (requestBody?.required === true && !requestBody.content['application/json']?.examples),
    );
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
    expect(operations.length).toBeGreaterThan(100);
  });

  it('lists the error codes of the API and of each operation', () => {
    for (const code of Object.keys(document['x-errorCodes']))
      expect(shown.info.description).toContain(`\`${code}\``);
    const share = operations.find(({ operationId }) => operationId === 'shareDashboard');
    expect(share?.description).toContain('`QUOTA_EXCEEDED`');
  });

  it('does not change the served document', () => {
    expect(document).toEqual(createOpenApiDocument());
  });
});
