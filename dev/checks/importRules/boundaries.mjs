/**
 * Which module may import which, as data. `judgeImport` reads the tables; the lint rules in `plugin.mjs` call
 * it. Paths are relative to the repository root and use forward slashes.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';

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
  bench: ['contract', 'client', 'engine', 'policy', 'service', 'testing'],
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
  ],
};

/**
 * Libraries that only some files may import. A name ending in `/` stands for a whole npm scope.
 * @type {readonly { libraries: readonly string[], places: readonly RegExp[], where: string }[]}
 */
const reservedLibraries = [
  {
    libraries: ['mongodb', 'bson'],
    places: [
      /^apps\/[^/]+\/src\/(.+\/)?store(\/|\.ts$)/,
      /^packages\/(service|testing)\//,
      /^packages\/engine\/.+\.test\.ts$/,
      /^bench\//,
    ],
    where: 'store.ts and store/, packages/service, packages/testing, the tests of packages/engine and bench',
  },
  { libraries: ['@0q/'], places: [/^packages\/engine\//], where: 'packages/engine' },
  {
    libraries: ['@trpc/'],
    places: [/^packages\/service\//, /^packages\/contract\/src\/services\/router\.ts$/],
    where: 'packages/service and the router.ts of packages/contract',
  },
  { libraries: ['@nats-io/', 'nats'], places: [/^packages\/service\//], where: 'packages/service' },
  {
    libraries: ['@opentelemetry/', 'prom-client'],
    places: [/^packages\/service\/src\/observability\//],
    where: 'the observability of packages/service',
  },
  {
    libraries: ['pg', 'mysql2', 'node-sqlite3-wasm'],
    places: [/^apps\/semantics\/src\/introspection\//, /^packages\/testing\//, /\.test\.ts$/],
    where: 'the introspection of apps/semantics, packages/testing and tests',
  },
  {
    libraries: ['@polyglot-sql/'],
    places: [/^apps\/policy\/src\/sql\/compiler\/parsePolyglot\.ts$/],
    where: 'apps/policy/src/sql/compiler/parsePolyglot.ts',
  },
  {
    libraries: ['@electric-sql/'],
    places: [/\.test\.ts$|^apps\/(policy\/(sampleDatabase|src\/testing\/)|standalone\/src\/demo\/servers\/)/],
    where: 'the sample database of apps/policy, the demo database of apps/standalone and tests',
  },
  {
    libraries: ['openid-client'],
    places: [/^apps\/gateway\/src\/oidc\/provider\.ts$/],
    where: 'the oidc/provider.ts of the gateway',
  },
  {
    libraries: ['jose'],
    places: [
      /^packages\/service\//,
      /^apps\/gateway\/src\/(authenticate(\.test)?|oidc\/provider)\.ts$/,
      /^apps\/directory\/src\/tokens\/(signToken|issueToken\.test)\.ts$/,
    ],
    where:
      'packages/service, the authenticate.ts and oidc/provider.ts of the gateway and the signToken.ts of the directory',
  },
];

/** Folders that may import only these modules of npm and Node. */
const closedFolders = [
  { folder: /^packages\/contract\//, libraries: ['zod', '@trpc/server'], name: 'contract' },
  { folder: /^packages\/client\/src\/(?!testing\/)/, libraries: [], name: 'client' },
  { folder: /^apps\/docs\/src\/.+\.ts$/, libraries: ['@scalar/', '@unhead/', 'vue'], name: 'docs' },
  {
    folder: /^apps\/console\/src\//,
    libraries: [
      '@codemirror/',
      '@fontsource-variable/',
      '@lezer/',
      '@mantine/',
      '@tanstack/',
      '@xyflow/',
      'react',
      'react-dom',
      'uplot',
    ],
    name: 'a page',
  },
  { folder: /\/src\/(.+\/)?logic\//, libraries: ['rfc6902'], name: 'logic/' },
];

/** Libraries of which a folder imports types only, by `import type`. */
const typesOnly = [
  { folder: /^packages\/contract\//, libraries: ['@trpc/'], name: 'contract' },
  // Its values would bring zod and every schema into the browser.
  {
    folder: /^apps\/console\/src\/(?!.*\.test\.ts$)/,
    libraries: ['@gatehouse/contract'],
    name: 'the console',
  },
];

/**
 * The parser libraries that one `logic/` folder names for itself, by that folder's path.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const parserLibraries = {
  'apps/policy/src/sql/postgres/logic/': ['libpg-query', '@pgsql/types'],
};

/** The additional imports of a test file, beside Node's own modules. */
const testImports = [`${SCOPE}testing`, 'fast-check', 'vitest', 'yaml'];

/** The stores that the stores of other features extend. */
const baseStores = ['apps/directory/src/records/store/recordStore', 'apps/semantics/src/records/store'];

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
  const found = typesOnly.find(({ folder, libraries }) => folder.test(file) && isAnyOf(specifier, libraries));
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
