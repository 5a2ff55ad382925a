import type { IncomingMessage } from 'node:http';
import type { RouteLane } from '@gatehouse/contract';
import type { Admission } from '../admission/admission.js';
import type { BodyReader } from '../readBody.js';
import type { Exchange, GatewayResponse } from '../respond.js';

/** A code, or a logout token. */
const BODY_LIMIT_BYTES = 16 * 1024;

/** An operation of the console's session. It has no token, and is no part of the API. */
export interface SessionOperation {
  route: { method: 'GET' | 'POST'; path: string; operationId: string };
  /** `long` for one that waits for the provider. */
  lane: RouteLane;
  /** Parses the body. */
  parse(request: IncomingMessage, bytes: Buffer): Promise<Record<string, unknown>>;
  run(exchange: Exchange, body: Record<string, unknown>): Promise<GatewayResponse>;
}

/** Reads the body of a request, waits for a place, and runs the operation. */
export async function runOperation(
  operation: SessionOperation,
  exchange: Exchange,
  { admission, bodies }: { admission: Admission; bodies: BodyReader },
): Promise<GatewayResponse> {
  const { bytes, release } = await bodies.read(exchange, BODY_LIMIT_BYTES);
  exchange.releases.push(release);
  const body = await operation.parse(exchange.request, bytes);
  await admission.enter(exchange, operation.lane, bytes.length);
  return operation.run(exchange, body);
}
