import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from '@gatehouse/contract';
import { examples, type Example, type OperationId } from '@gatehouse/contract/examples';

/** The key of the example in `examples` of OpenAPI. */
const EXAMPLE = 'Example';

const GUIDE = `
## Send requests from this page

1. Enter an access token under **Authentication**.
   Without one, send *Exchange a project or dashboard secret for an access token*:
   the page then uses the issued token.
2. Open an operation, select **Test Request** and send it.

Names in angle brackets, such as \`<dashboardId>\`, stand for existing records.
The page looks them up with your token before it sends the request.
The token stays in the memory of this page.
`;

/** The document as the page shows it: with an example for every operation, and with all error codes. */
export function describeDocument(document: OpenApiDocument): Record<string, unknown> {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(
      ([method, operation]) => [method, describeOperation(operation)] as const,
    );
    return [path, Object.fromEntries(operations)] as const;
  });
  const description = `${document.info.description}\n${GUIDE}`;
  return { ...document, info: { ...document.info, description }, paths: Object.fromEntries(paths) };
}

function describeOperation(operation: OpenApiOperation): Record<string, unknown> {
  const example: Example = examples[operation.operationId as OperationId];
  const { description, parameters, requestBody, 'x-errorCodes': codes } = operation;
  const errors = `Error codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`;
  return {
    ...operation,
    description: [description, example.note ?? [], errors].flat().join('\n\n'),
    parameters: parameters.map((parameter) => withExample(parameter, example)),
    ...(requestBody && { requestBody: withBody(requestBody, example) }),
  };
}

function withExample(parameter: OpenApiParameter, { parameters = {} }: Example): Record<string, unknown> {
  const value = parameters[parameter.name];
  const { example: _example, ...others } = parameter;
  return { ...others, ...(value !== undefined && { examples: { [EXAMPLE]: { value } } }) };
}

function withBody(
  requestBody: NonNullable<OpenApiOperation['requestBody']>,
  { body }: Example,
): Record<string, unknown> {
  if (body === undefined) return requestBody;
  const contents = Object.entries(requestBody.content).map(
    ([type, { schema }]) => [type, { schema, examples: { [EXAMPLE]: { value: body } } }] as const,
  );
  return { ...requestBody, content: Object.fromEntries(contents) };
}
