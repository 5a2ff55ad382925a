import { createRequire } from 'node:module';
import path from 'node:path';
import type { Answer } from '../respond.js';
import type { Page } from './pages.js';
import { readSite, type SiteFile } from './siteFiles.js';

/** Who serves below which path, and what its requests are counted as. */
const SITES = [
  { packageName: '@gatehouse/reference', base: '/docs', operationId: 'getDocs' },
  { packageName: '@gatehouse/console', base: '/console', operationId: 'getConsole' },
] as const;

/** Scripts, styles and requests of our own origin alone, and nothing inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Names carry no hash of what they name, so a browser asks each time whether it still has the present one. */
const SITE_HEADERS = [
  'Content-Security-Policy',
  CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), geolocation=(), microphone=()',
  'Cache-Control',
  'no-cache',
];

function toPage({ path: served, ...file }: SiteFile, operationId: string): Page {
  const answer: Answer = { status: 200, ...file, headers: SITE_HEADERS };
  return { route: { method: 'GET', path: served, operationId }, serve: async () => answer };
}

/**
 * The reference and the console, each file a page of its own, read once.
 *
 * @throws Error when one of them is not built.
 */
export async function readSitePages(): Promise<Page[]> {
  const sites = SITES.map(async ({ packageName, base, operationId }) => {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    const files = await readSite(path.dirname(manifest), base);
    return files.map((file) => toPage(file, operationId));
  });
  return (await Promise.all(sites)).flat();
}
