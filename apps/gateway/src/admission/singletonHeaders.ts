import type { IncomingMessage } from 'node:http';
import { invalidField } from '@gatehouse/contract';

/** Headers that identify the caller or define the request, with the spelling for error messages. */
const SINGLETONS = new Map(
  [
    'Authorization',
    'Content-Encoding',
    'Content-Length',
    'Content-Type',
    'Expect',
    'Host',
    'Idempotency-Key',
    'Origin',
  ].map((name) => [name.toLowerCase(), name]),
);

/**
 * Throws INVALID_REQUEST if a header that must occur once occurs twice (RFC 9110, section 5.3). Node uses
 * the first value or joins both, and a proxy in front may have checked the other.
 */
export function checkSingletons({ rawHeaders }: IncomingMessage): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = SINGLETONS.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) throw invalidField(name, 'must be given once', 'duplicate');
    seen.add(name);
  }
}
