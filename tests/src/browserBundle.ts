import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import type { ClientOptions } from '@gatehouse/client';
import { rolldown } from 'rolldown';

const fileAt = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The globals that all browsers have and the client may use. `setTimeout` and the like are included; Node's
 * own are not.
 */
const BROWSER_GLOBALS = {
  fetch,
  Headers,
  Request,
  Response,
  ReadableStream,
  TextDecoder,
  TextEncoder,
  AbortController,
  AbortSignal,
  URL,
  URLSearchParams,
  crypto,
  setTimeout,
  clearTimeout,
};

interface Bundle {
  code: string;
  /** The names of what is left outside of it. */
  imports: string[];
}

async function bundleForBrowsers(input: string): Promise<Bundle> {
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', name: 'gatehouse', minify: true });
  await bundle.close();
  const [{ code, imports, dynamicImports }] = output;
  return { code, imports: [...imports, ...dynamicImports] };
}

/** The built client and all that it imports, as one script that puts its exports into `gatehouse`. */
export async function bundleClient(): Promise<Bundle> {
  return bundleForBrowsers(fileAt('../../packages/client/dist/index.js'));
}

/** The same with the tests' own programs around it: `gatehouse.runProgram`. */
export async function bundleClientPrograms(): Promise<Bundle> {
  return bundleForBrowsers(fileAt('clientPrograms.ts'));
}

/** What a page does with the client: it writes, lists, reads a stream and is refused. */
const PAGE = `(async () => {
  const client = gatehouse.createClient(options);
  await client.createDashboard({ title: 'Made in a browser' });
  const titles = [];
  for await (const { title } of client.items.listDashboards({ search: 'Made in a browser' })) titles.push(title);
  let summaries = 0;
  for await (const { type } of client.stream.validateAllDashboards()) if (type === 'summary') summaries += 1;
  const refusal = await client.getDashboard({ id: 'd_none' }).catch(({ code }) => code);
  return JSON.stringify({ titles, summaries, refusal });
})()`;

/** Runs the bundled client where there is nothing but what a browser has. */
export async function askWithBrowserGlobals(code: string, options: ClientOptions): Promise<unknown> {
  const context = createContext({ ...BROWSER_GLOBALS, options });
  runInContext(code, context);
  return JSON.parse((await runInContext(PAGE, context)) as string);
}
