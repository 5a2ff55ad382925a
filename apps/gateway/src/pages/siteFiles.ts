import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A file of a site. */
export interface SiteFile {
  /** The path at which it is served; every other path returns 404. */
  path: string;
  contentType: string;
  /** Whether its name contains a hash of its content. */
  isHashed: boolean;
  /** Whether it is the index of the site. */
  isIndex: boolean;
  /** Reads the file when it is first requested: most processes never serve a page. */
  read(): Promise<SiteContent>;
}

export interface SiteContent {
  /** The strong entity tag, quotes included. */
  entityTag: string;
  /** Bytes if the content is not text. */
  body: string | Buffer;
}

/** The content types by file extension. Files with other extensions are not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** Files that are sent as they are: they are compressed already. */
const BINARY = new Set(['.woff2']);
const INDEX = 'index.html';
/** The bundlers add a hash to the names of the files in these folders. */
const HASHED = new Set(['chunks', 'assets']);

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // Links are excluded: they might lead out of the package.
  return entries
    .filter((entry) => entry.isFile() && path.extname(entry.name) in CONTENT_TYPES)
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

async function readContent(file: string): Promise<SiteContent> {
  const bytes = await readFile(file);
  const body = BINARY.has(path.extname(file)) ? bytes : bytes.toString('utf8');
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { entityTag: `"${tag}"`, body };
}

/**
 * The paths of a file below a base such as `/docs`. The index is served at the base, with and without a
 * slash.
 */
function pathsOf(base: string, name: string): string[] {
  return name === INDEX ? [base, `${base}/`] : [`${base}/${name.split(path.sep).join('/')}`];
}

function createSiteFiles(folder: string, base: string, name: string): SiteFile[] {
  let content: Promise<SiteContent> | undefined;
  const file = {
    contentType: CONTENT_TYPES[path.extname(name)] ?? '',
    isHashed: HASHED.has(name.split(path.sep)[0] ?? ''),
    isIndex: name === INDEX,
    read: () => (content ??= readContent(path.join(folder, name))),
  };
  return pathsOf(base, name).map((served) => ({ path: served, ...file }));
}

/**
 * Lists the files of these folders, to be served below a path. Only listed files are served, so a request
 * cannot name any other file.
 *
 * @throws Error if a folder is missing because the package is not built
 */
export async function listSite(folders: readonly string[], base: string): Promise<SiteFile[]> {
  const files = folders.map(async (folder) =>
    (await listFiles(folder)).flatMap((name) => createSiteFiles(folder, base, name)),
  );
  return (await Promise.all(files)).flat();
}
