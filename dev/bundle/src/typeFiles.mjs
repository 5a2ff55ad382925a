// @ts-check
/**
 * The declaration files that an entry needs, with those of its workspace packages and of zod beside them, so
 * that a package without dependencies has complete types.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Where a module is named: `from 'x'`, `import 'x'` and `import("x")`. */
const SPECIFIER = /(?<=\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\1/g;

/**
 * The folder of an installed package, as `node_modules` above a folder has it.
 * @type {(...names: string[]) => string}
 */
function folderOf(name, from) {
  const folder = path.join(from, 'node_modules', name);
  if (existsSync(folder)) return realpathSync(folder);
  if (path.dirname(from) === from) throw new Error(`${name} is not installed`);
  return folderOf(name, path.dirname(from));
}

/**
 * The packages whose declarations are copied: the package itself, its workspace packages and zod.
 * @param {string} root the folder of the package that is packed
 */
function copiedPackages(root) {
  const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const workspaces = Object.keys(own.devDependencies ?? {})
    .filter((name) => name.startsWith('@gatehouse/'))
    .map((name) => ({ name, folder: path.join(folderOf(name, root), 'dist') }));
  return [
    { name: own.name, folder: path.join(root, 'dist') },
    ...workspaces,
    { name: 'zod', folder: folderOf('zod', root) },
  ];
}

/**
 * @param {string} file an absolute path
 * @param {string} specifier
 * @param {{ name: string, folder: string }[]} packages
 * @returns {string | undefined} the declaration file of a module; undefined in a package that is not copied
 */
function declarationOf(file, specifier, packages) {
  if (specifier.startsWith('.'))
    return path.resolve(path.dirname(file), specifier.replace(/\.([cm]?)js$/, '.d.$1ts'));
  const owner = packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (!owner) return undefined;
  const module = path.join(owner.folder, specifier.slice(owner.name.length));
  return [path.join(module, 'index.d.ts'), `${module}.d.ts`].find((place) => existsSync(place));
}

/**
 * @param {string} root the folder of the package
 * @param {string} entry an absolute path
 * @returns {Map<string, string>} texts by their path in the folder of declarations
 */
export function collectTypes(root, entry) {
  const packages = copiedPackages(root);
  /** @param {string} file */
  const placeOf = (file) => {
    const owner = packages.find(({ folder }) => file.startsWith(folder + path.sep));
    if (!owner) throw new Error(`${file} is in no package that is copied`);
    return path.posix.join(owner.name, path.relative(owner.folder, file).replaceAll(path.sep, '/'));
  };
  /** @type {Map<string, string>} */
  const collected = new Map();
  const queue = [entry];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    const place = placeOf(file);
    if (collected.has(place)) continue;
    const found = file;
    const text = readFileSync(file, 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');
    const rewritten = withoutReexports(text, (specifier) => {
      const target = declarationOf(found, specifier, packages);
      return target !== undefined && hasOnlyCopied(target, packages);
    }).replaceAll(SPECIFIER, (_match, quote, specifier) => {
      const target = declarationOf(found, specifier, packages);
      if (target === undefined) throw new Error(`${place} imports ${specifier}, which is not copied`);
      queue.push(target);
      const relative = path.posix.relative(path.posix.dirname(place), placeOf(target));
      const named = relative.startsWith('.') ? relative : `./${relative}`;
      return `${quote}${named.replace(/\.d\.([cm]?)ts$/, '.$1js')}${quote}`;
    });
    collected.set(place, rewritten);
  }
  return collected;
}

/** Whether a file imports copied packages only. @type {(file: string, packages: any[]) => boolean} */
function hasOnlyCopied(file, packages) {
  return [...readFileSync(file, 'utf8').matchAll(SPECIFIER)].every(
    ([, , specifier = '']) => declarationOf(file, specifier, packages) !== undefined,
  );
}

/**
 * Without the `export *` of modules that import a package that is not copied: the router of the contract has
 * types of tRPC, which a caller of the REST API does not need.
 * @param {string} text
 * @param {(specifier: string) => boolean} isKept
 */
function withoutReexports(text, isKept) {
  return text.replaceAll(/^export \* from ['"]([^'"]+)['"];\n/gm, (line, specifier) =>
    isKept(specifier) ? line : '',
  );
}
