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

/**
 * The same in an edge runtime such as Cloudflare Workers, which has no cookies and leaves redirects to the
 * caller: it rejects the options of `fetch` for them.
 */
const EDGE_GLOBALS = {
  ...BROWSER_GLOBALS,
  Request: { prototype: {} },
  fetch: async (target: string, options: RequestInit = {}) => {
    if (options.credentials !== undefined) throw new TypeError('credentials is not implemented');
    if (options.redirect === 'error') throw new TypeError('redirect must be follow or manual');
    return fetch(target, options);
  },
};

const GLOBALS = { browser: BROWSER_GLOBALS, edge: EDGE_GLOBALS } as const;
export type WebRuntime = keyof typeof GLOBALS;

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
  await client.createDashboard({ title });
  const titles = [];
  for await (const dashboard of client.items.listDashboards({ search: title })) titles.push(dashboard.title);
  let summaries = 0;
  for await (const { type } of client.stream.validateAllDashboards()) if (type === 'summary') summaries += 1;
  const refusal = await client.getDashboard({ id: 'd_none' }).catch(({ code }) => code);
  return JSON.stringify({ titles, summaries, refusal });
})()`;

/** Runs the bundled client where there is nothing but what the runtime has. */
export async function callWithGlobalsOf(
  runtime: WebRuntime,
  code: string,
  options: ClientOptions,
): Promise<unknown> {
  const context = createContext({ ...GLOBALS[runtime], options, title: `Made by ${runtime}` });
  runInContext(code, context);
  return JSON.parse((await runInContext(PAGE, context)) as string);
}
