import recordedSecond from '../examples/recordedSecond.json' with { type: 'json' };
import { secondExamples } from '../examples/secondExamples.js';
import type { OperationId } from '../examples/index.js';
import type { OperationExample } from '../openapiDocument.js';
import type { Route } from '../route.js';
import { sampleInputOf } from './sampleInput.js';

/** The examples of a route besides the first, which its request and its response have. */
export function writeFurtherExamples(route: Route): OperationExample[] {
  const operationId = route.operationId as OperationId;
  const second = secondExamples.get(operationId);
  if (second === undefined) return [];
  const { summary, status, headers } = second;
  const { parameters, body } = sampleInputOf(route, second);
  const request = {
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(headers && { headers }),
    ...(body && { body }),
  };
  const recorded = (recordedSecond as Readonly<Record<string, unknown>>)[operationId] ?? null;
  return [{ summary, request, response: { status, body: recorded } }];
}
