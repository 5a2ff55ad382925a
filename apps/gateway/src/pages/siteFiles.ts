import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A file of a site, held in memory. */
export interface SiteFile {
  /** Where it is served; every other path is answered as one that does not exist. */
  path: string;
  contentType: string;
  /** The strong entity tag, quotes included. */
  entityTag: string;
  body: string;
}

/** The folders of a package that are served: what is written by hand, and what is compiled. */
const FOLDERS = ['public', 'dist'];
/** What is served by the ending of its name; the rest of a package stays inside. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const INDEX = 'index.html';

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // A link is no file here: it might lead out of the package.
  return entries
    .filter((entry) => entry.isFile() && path.extname(entry.name) in CONTENT_TYPES)
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

async function readSiteFile(folder: string, name: string): Promise<Omit<SiteFile, 'path'>> {
  const body = await readFile(path.join(folder, name), 'utf8');
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { contentType: CONTENT_TYPES[path.extname(name)] ?? '', entityTag: `"${tag}"`, body };
}

/** The paths of a file below a base such as `/docs`: the index is the base itself, with and without a slash. */
function pathsOf(base: string, name: string): string[] {
  return name === INDEX ? [base, `${base}/`] : [`${base}/${name.split(path.sep).join('/')}`];
}

/**
 * Reads what the package in the folder `root` serves below a path. As the paths are listed here once, a request can name
 * nothing else.
 *
 * @throws Error when the package is not built.
 */
export async function readSite(root: string, base: string): Promise<SiteFile[]> {
  const files = FOLDERS.map(async (subfolder) => {
    const folder = path.join(root, subfolder);
    const read = (await listFiles(folder)).map(async (name) => {
      const file = await readSiteFile(folder, name);
      return pathsOf(base, name).map((served) => ({ path: served, ...file }));
    });
    return (await Promise.all(read)).flat();
  });
  return (await Promise.all(files)).flat();
}
