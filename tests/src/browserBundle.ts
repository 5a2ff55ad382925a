import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import type { ClientOptions } from '@gatehouse/client';
import { rolldown } from 'rolldown';

const ENTRY = fileURLToPath(new URL('../../packages/client/dist/index.js', import.meta.url));

/** What all browsers have of what the client may use. `setTimeout` and the like are there too, and Node's own things are not. */
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

/** The built client and all that it imports, as one script for browsers, with the names of what is left outside of it. */
export async function bundleForBrowsers(): Promise<{ code: string; imports: string[] }> {
  const bundle = await rolldown({ input: ENTRY, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', name: 'gatehouse', minify: true });
  await bundle.close();
  const [{ code, imports, dynamicImports }] = output;
  return { code, imports: [...imports, ...dynamicImports] };
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

/** Runs the bundle where there is nothing but what a browser has. */
export async function askInBrowser(code: string, options: ClientOptions): Promise<unknown> {
  const context = createContext({ ...BROWSER_GLOBALS, options });
  runInContext(code, context);
  return JSON.parse((await runInContext(PAGE, context)) as string);
}
