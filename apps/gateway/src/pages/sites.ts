import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { noSuchRoute } from '../errorBodies.js';
import type { GatewayResponse } from '../respond.js';
import type { Page } from './pages.js';
import { listSite, type SiteFile } from './siteFiles.js';

/** A package of files that the gateway serves. */
export interface Site {
  packageName: string;
  /** The folders of the package that are served; all others are not. */
  folders: readonly string[];
  base: string;
  /** The name under which its requests are counted. */
  operationId: string;
  styleSources: string;
  /** Whether the page routes the paths below its base itself, so that each of them serves its index. */
  hasRoutes?: boolean;
}

/**
 * The style elements that Scalar inserts, by their content: of the toasts, of the theme, and an empty one
 * that a library fills through the CSSOM. They change only with Scalar's version; the test of the page fails
 * with the hash that is missing.
 */
const SCALAR_STYLES = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-ZW1GSuo0pKyEx5Ar7ZC5Dflb/mjatjeTW9aVx0iZAzE='",
  "'sha256-DLlkYCuDYGe6ME23YkUFB7Tc36rGDeo4mVBFbZX3uaU='",
  "'sha256-rO+6k1mDRASa9Q8IQu9I3bF+bjRdxDreAZCyGSaxzeI='",
].join(' ');

const SITES: readonly Site[] = [
  {
    packageName: '@gatehouse/docs',
    folders: ['public', 'dist/site'],
    base: '/docs',
    operationId: 'getDocs',
    // Scalar positions its popups and tree lines with style attributes, which no hash can allow.
    styleSources: `style-src-elem 'self' ${SCALAR_STYLES}; style-src-attr 'unsafe-inline'`,
  },
  {
    packageName: '@gatehouse/console',
    folders: ['dist'],
    base: '/console',
    operationId: 'getConsole',
    styleSources: "style-src 'self'",
    hasRoutes: true,
  },
];

/** Returns a policy that allows only scripts, style sheets and requests of this origin. */
function contentSecurityPolicy({ styleSources }: Site): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    styleSources,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The headers in addition to those that helmet sets on every page. */
function headersOf(site: Site, { isHashed }: SiteFile): string[] {
  return [
    'Content-Security-Policy',
    contentSecurityPolicy(site),
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Permissions-Policy',
    'camera=(), geolocation=(), microphone=()',
    'Cache-Control',
    // The browser must revalidate a file whose name stays when its content changes.
    isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  ];
}

async function respondWith(site: Site, file: SiteFile): Promise<GatewayResponse> {
  const { contentType } = file;
  return { isFixed: true, status: 200, contentType, headers: headersOf(site, file), ...(await file.read()) };
}

function toPage(site: Site, file: SiteFile): Page {
  return {
    route: { method: 'GET', path: file.path, operationId: site.operationId },
    serve: () => respondWith(site, file),
  };
}

/** A path that a page may route: below its base, and with neither dots nor encoded characters. */
const ROUTED = /^\/\w+(?:\/[\w~-]+)+\/?(?:\?|$)/;
/** The session of the console is no page. */
const UNROUTED = /^\/console\/session(?:[/?]|$)/;

function toRoutedPage(site: Site, index: SiteFile): Page {
  return {
    route: { method: 'GET', path: `${site.base}/*`, operationId: site.operationId },
    async serve({ url = '' }: IncomingMessage): Promise<GatewayResponse> {
      if (ROUTED.test(url) && !UNROUTED.test(url)) return respondWith(site, index);
      throw noSuchRoute();
    },
  };
}

/** Returns a page for each file of a site, and one for the paths that it routes itself. */
function createSitePages(site: Site, files: readonly SiteFile[]): Page[] {
  const pages = files.map((file) => toPage(site, file));
  const index = files.find(({ isIndex }) => isIndex);
  return site.hasRoutes && index ? [...pages, toRoutedPage(site, index)] : pages;
}

/**
 * Returns a page for each file of the reference and the console.
 *
 * @throws Error if one of them is not built
 */
export async function readSitePages(): Promise<Page[]> {
  const sites = SITES.map(async (site) => {
    const manifest = createRequire(import.meta.url).resolve(`${site.packageName}/package.json`);
    const root = path.dirname(manifest);
    const files = await listSite(
      site.folders.map((folder) => path.join(root, folder)),
      site.base,
    );
    return createSitePages(site, files);
  });
  return (await Promise.all(sites)).flat();
}
