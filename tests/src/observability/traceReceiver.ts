import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const Value = z.object({ stringValue: z.string().optional(), intValue: z.number().optional() });
const Attributes = z.array(z.object({ key: z.string(), value: Value }));
const ExportedSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: Attributes,
  links: z.array(z.object({ traceId: z.string() })).default([]),
});
/** What an exporter sends, as OTLP 1 writes it in JSON; what is read of it here. */
const TracesRequest = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(ExportedSpan) })),
    }),
  ),
});

/** A span with the name of the process that it comes from. */
export interface ReceivedSpan extends z.infer<typeof ExportedSpan> {
  process: string;
}

export interface TraceReceiver extends AsyncDisposable {
  endpoint: string;
  spans(): ReceivedSpan[];
  /** All that has been received, as it came. */
  bodies(): string;
}

/** An OTLP/HTTP receiver on loopback, which keeps what it is sent with the right secret. */
export async function startTraceReceiver(secret: string): Promise<TraceReceiver> {
  const bodies: string[] = [];
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method !== 'POST' || request.url !== '/v1/traces') return response.writeHead(404).end();
      if (request.headers.authorization !== secret) return response.writeHead(401).end();
      bodies.push(body);
      for (const { resource, scopeSpans } of TracesRequest.parse(JSON.parse(body)).resourceSpans) {
        const process =
          resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, process }))));
      }
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    bodies: () => bodies.join('\n'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
