import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRequest, writeCurl } from './requests.js';

const run = promisify(execFile);
const RUNS = 20;

/** The arguments that a shell gives to curl when it runs the command. */
async function argumentsOf(command: string, token: string): Promise<string[]> {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = await run('sh', ['-eu', '-c', script], { env: { TOKEN: token } });
  return stdout.split('\0').slice(0, -1);
}

describe('a request', () => {
  it('has its parameters where they belong, encoded, and none that is empty', () => {
    const parameters = { id: 'a/b', search: 'x&y=z', tag: '' };
    const request = buildRequest({
      method: 'GET',
      path: '/things/{id}/parts',
      parameters,
      isAuthorized: true,
    });
    expect(request).toEqual({
      method: 'GET',
      target: '/things/a%2Fb/parts?search=x%26y%3Dz',
      headers: {},
      isAuthorized: true,
    });
  });

  it('shows the names of what is looked up as they are', () => {
    const parts = { method: 'GET', path: '/things/{id}', isAuthorized: true };
    expect(buildRequest({ ...parts, parameters: { id: '<thingId>' } }).target).toBe('/things/<thingId>');
    expect(buildRequest({ ...parts, parameters: { id: '<a>/../<b>' } }).target).toBe(
      '/things/%3Ca%3E%2F..%2F%3Cb%3E',
    );
  });
});

describe('a command', () => {
  it('says to a shell what was meant, whatever stands in it', async () => {
    const text = fc.string({
      unit: fc.constantFrom("'", '"', '$', '`', '\\', '\n', '!', ' ', 'ä', '<', 'x'),
      maxLength: 20,
    });
    const property = fc.asyncProperty(text, text, async (id, body) => {
      const parts = { method: 'POST', path: '/things/{id}', parameters: { id }, body, isAuthorized: true };
      const command = writeCurl(buildRequest(parts), 'http://127.0.0.1:1');
      expect(await argumentsOf(command, 't.o.k')).toEqual([
        '-X',
        'POST',
        '-H',
        'Authorization: Bearer t.o.k',
        '-H',
        'Content-Type: application/json',
        '-d',
        body,
        `http://127.0.0.1:1${buildRequest(parts).target}`,
      ]);
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it('of a route that takes no token has none', () => {
    const request = buildRequest({ method: 'GET', path: '/keys', parameters: {}, isAuthorized: false });
    expect(writeCurl(request, 'http://host')).toBe("curl \\\n  'http://host/keys'");
  });
});
