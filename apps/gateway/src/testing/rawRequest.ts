import { connect } from 'node:net';

/** Sends bytes unchanged to a loopback port. Resolves to everything received until the connection ends. */
export async function sendRaw(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  return (await receive(port, ...parts)).toString('utf8');
}

function receive(port: number, ...parts: (string | Buffer)[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

/**
 * Sends the lines of a request with `Connection: close`. Resolves to the response with its unchanged body.
 */
export async function rawResponse(port: number, lines: readonly string[]) {
  const bytes = await receive(port, lines.join('\r\n'));
  const end = bytes.indexOf('\r\n\r\n');
  const [, ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
  );
  return { headers, body: bytes.subarray(end + 4) };
}
