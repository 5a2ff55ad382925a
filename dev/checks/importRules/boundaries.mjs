/**
 * Which module may import which, as data. `judgeImport` reads the tables; the lint rules in `plugin.mjs` call
 * it. Paths are relative to the repository root and use forward slashes.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { reservedLibraries, closedFolders, typesOnly, parserLibraries } from './libraries.mjs';

const SCOPE = '@gatehouse/';
/** Tests, and the code that only the tests of one service use. */
const TEST_FILE = /\.test\.ts$|^apps\/[^/]+\/src\/testing\//;

/** The workspace imports of a service. */
const SERVICE_IMPORTS = ['contract', 'service'];

/** The services of the manifest. @type {string[]} */
const SERVICES = Object.keys(
  JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../infra/services.json'), 'utf8')),
).filter((name) => name !== 'gateway');

/**
 * The workspace packages that each folder may import, by their name after the scope. A folder that is missing
 * here may import none. The table has no cycle, so no cycle can run through several packages.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const workspaceImports = {
  'packages/contract': [],
  'packages/engine': ['newer-libc'],
  'packages/client': ['contract'],
  'packages/cli': ['contract', 'client'],
  'packages/service': ['contract'],
  'packages/testing': ['contract', 'engine', 'service'],
  'apps/gateway': SERVICE_IMPORTS,
  'apps/docs': ['contract', 'bundle'],
  'apps/console': ['contract', 'client', 'bundle'],
  ...Object.fromEntries(SERVICES.map((name) => [`apps/${name}`, SERVICE_IMPORTS])),
  'apps/standalone': ['contract', 'client', 'engine', 'service', 'gateway', ...SERVICES],
  bench: ['access', 'contract', 'client', 'directory', 'engine', 'policy', 'service', 'testing'],
  tests: [
    'contract',
    'cli',
    'client',
    'engine',
    'newer-libc',
    'service',
    'testing',
    'gateway',
    'docs',
    ...SERVICES,
    'standalone',
    'scripts',
  ],
};

/** The additional imports of a test file, beside Node's own modules. */
const testImports = [`${SCOPE}testing`, 'fast-check', 'vitest', 'yaml'];

/** The stores that the stores of other features extend. */
const baseStores = [
  'apps/directory/src/records/store/listedStore',
  'apps/directory/src/records/store/recordStore',
  'apps/semantics/src/records/store',
];

/** The files inside a folder of a service that open the stores of all its features. */
const storeAssemblies = ['apps/policy/src/store/stores.ts'];

/**
 * The file that a relative import names, without its extension; the graph of modules is keyed by it.
 * @param {string} file the importing file
 * @param {string} specifier a relative specifier
 */
export function resolveRelative(file, specifier) {
  return withoutExtension(path.posix.join(path.posix.dirname(file), specifier));
}

/** @param {string} file */
export function withoutExtension(file) {
  return file.replace(/\.[cm]?[jt]sx?$/, '');
}

/** @param {string} specifier */
export function isRelative(specifier) {
  return /^\.\.?(\/|$)/.test(specifier);
}

/**
 * Judges one import.
 * @param {string} file the importing file
 * @param {string} specifier what it imports, as written
 * @param {boolean} [isType] whether the statement is an `import type`
 * @returns {string | undefined} why the import is refused, or undefined when it may stand
 */
export function judgeImport(file, specifier, isType = false) {
  const folder = workspaceFolder(file);
  if (folder === undefined) return undefined;
  if (isRelative(specifier)) return judgeRelative(file, folder, resolveRelative(file, specifier));
  if (/^[/#]|^[a-z]+:/.test(specifier) && !isBuiltin(specifier)) {
    return `"${specifier}" is neither a relative path nor the name of a package.`;
  }
  if (/^(node:)?process$/.test(specifier)) return 'Use the global process, not the module.';
  if (TEST_FILE.test(file) && isTestImport(specifier)) return undefined;
  const refused = specifier.startsWith(SCOPE)
    ? judgeWorkspaceImport(file, folder, specifier)
    : judgeLibrary(file, specifier);
  return refused ?? (isType ? undefined : judgeValue(file, specifier));
}

/**
 * Judges an import of values.
 * @param {string} file
 * @param {string} specifier
 */
function judgeValue(file, specifier) {
  const found = typesOnly.find(
    ({ folder, libraries, except = [] }) =>
      folder.test(file) && isAnyOf(specifier, libraries) && !except.includes(specifier),
  );
  return found && `${found.name} imports only types of "${specifier}", by \`import type\`.`;
}

/**
 * @param {string} file
 * @param {string} folder
 * @param {string} target
 */
function judgeRelative(file, folder, target) {
  if (!target.startsWith(`${folder}/`)) {
    return `A relative import may not leave ${folder}: import the other package by its name.`;
  }
  if (logicFolder(file) !== undefined && logicFolder(target) === undefined) {
    return `logic/ imports logic/ and the contract alone, not ${target}.`;
  }
  return judgeStoreImport(file, target);
}

/**
 * A feature reaches the records of another one through its operations.
 * @param {string} file
 * @param {string} target
 */
function judgeStoreImport(file, target) {
  const owner = storeOwner(target);
  const [, feature] = /^(apps\/[^/]+\/src\/[^/]+)\//.exec(file) ?? [];
  if (owner === undefined || feature === undefined || owner === feature) return undefined;
  if (TEST_FILE.test(file) || storeAssemblies.includes(file)) return undefined;
  if (baseStores.includes(target) && storeOwner(withoutExtension(file)) === feature) return undefined;
  return `A feature imports another feature only through its operations, never its store: ${target}.`;
}

/**
 * @param {string} file
 * @param {string} folder
 * @param {string} specifier
 */
function judgeWorkspaceImport(file, folder, specifier) {
  const name = specifier.slice(SCOPE.length).split('/')[0] ?? '';
  const allowed = workspaceImports[folder] ?? [];
  if (!allowed.includes(name)) {
    return `${folder} may not import ${SCOPE}${name}; it may import ${allowed.join(', ') || 'no workspace package'}.`;
  }
  if (logicFolder(file) !== undefined && name !== 'contract') {
    return `logic/ imports logic/ and the contract alone, not ${specifier}.`;
  }
  return undefined;
}

/**
 * @param {string} file
 * @param {string} specifier
 */
function judgeLibrary(file, specifier) {
  for (const { libraries, places, where } of reservedLibraries) {
    if (isAnyOf(specifier, libraries) && !places.some((place) => place.test(file))) {
      return `"${specifier}" is imported only in ${where}.`;
    }
  }
  for (const { folder, libraries, name } of closedFolders) {
    const allowed = [...libraries, ...(parserLibraries[logicFolder(file) ?? ''] ?? [])];
    if (folder.test(file) && !isAnyOf(specifier, allowed)) {
      return `${name} imports ${allowed.join(', ') || 'no library'}, not "${specifier}".`;
    }
  }
  return undefined;
}

/** @param {string} specifier */
function isTestImport(specifier) {
  return isBuiltin(specifier) || isAnyOf(specifier, testImports);
}

/**
 * @param {string} specifier
 * @param {readonly string[]} names
 */
function isAnyOf(specifier, names) {
  return names.some((name) =>
    name.endsWith('/') ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`),
  );
}

/**
 * The workspace folder that holds the file; undefined for the files at the root and in scripts/.
 * @param {string} file
 */
export function workspaceFolder(file) {
  return /^((apps|packages)\/[^/]+|tests|bench)(?=\/)/.exec(file)?.[0];
}

/**
 * The `logic/` folder that holds the file, with its closing slash.
 * @param {string} file
 */
export function logicFolder(file) {
  return /^(apps|packages)\/[^/]+\/src\/(.+?\/)??logic\//.exec(file)?.[0];
}

/**
 * The folder of the feature whose `store.ts` or `store/` holds the module; undefined for other modules.
 * @param {string} module a path without its extension
 */
function storeOwner(module) {
  return /^(apps\/[^/]+\/src\/[^/]+)\/(.+\/)?store(\/|$)/.exec(module)?.[1];
}

/** The calls of `collection()` that migrate stored data, before any request. */
const rawCollections = ['apps/directory/src/records/store/indexes.ts'];

/**
 * Whether a file may open a collection that no scope limits. Tests and the packages below the services may.
 * @param {string} file
 */
export function mayOpenCollections(file) {
  const isService = /^apps\/[^/]+\/src\//.test(file);
  return !isService || TEST_FILE.test(file) || rawCollections.includes(file);
}
