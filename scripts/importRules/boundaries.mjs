/**
 * Which module may import which, as data. `judgeImport` reads the tables; the lint rules in `plugin.mjs` ask it.
 * Paths are relative to the repository root and use forward slashes.
 */
import { isBuiltin } from 'node:module';
import path from 'node:path';

const SCOPE = '@gatehouse/';
const TEST_FILE = /\.test\.ts$/;

/** What a service may import of the workspace; the apps that are not listed below are services. */
const SERVICE_IMPORTS = ['contract', 'service'];

const SERVICES = ['access', 'directory', 'semantics', 'policy', 'lifecycle', 'audit'];

/**
 * The workspace packages that each folder may import, by their name after the scope. A folder under packages/ that is
 * missing here may import none. The table has no cycle, so no cycle can run through several packages.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const workspaceImports = {
  'packages/contract': [],
  'packages/engine': [],
  'packages/client': ['contract'],
  'packages/cli': ['contract', 'client'],
  'packages/service': ['contract'],
  'packages/testing': ['contract', 'engine', 'service'],
  'apps/gateway': SERVICE_IMPORTS,
  'apps/reference': ['contract'],
  'apps/console': ['contract'],
  'apps/access': SERVICE_IMPORTS,
  'apps/directory': SERVICE_IMPORTS,
  'apps/semantics': SERVICE_IMPORTS,
  'apps/policy': SERVICE_IMPORTS,
  'apps/lifecycle': SERVICE_IMPORTS,
  'apps/audit': SERVICE_IMPORTS,
  'apps/standalone': ['contract', 'client', 'engine', 'service', 'gateway', ...SERVICES],
  bench: ['contract', 'client', 'engine', 'policy', 'service', 'testing'],
  tests: [
    'contract',
    'cli',
    'client',
    'engine',
    'service',
    'testing',
    'gateway',
    'reference',
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
      /^apps\/[^/]+\/src\/(.+\/)?store\//,
      /^packages\/(service|testing)\//,
      /^packages\/engine\/.+\.test\.ts$/,
      /^bench\//,
    ],
    where: 'store/, packages/service, packages/testing, the tests of packages/engine and bench',
  },
  { libraries: ['@0q/'], places: [/^packages\/engine\//], where: 'packages/engine' },
  {
    libraries: ['@trpc/', '@nats-io/', 'nats'],
    places: [/^packages\/service\//],
    where: 'packages/service',
  },
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
    places: [/^apps\/policy\/parserWorker\.mjs$/],
    where: 'apps/policy/parserWorker.mjs',
  },
  {
    libraries: ['@electric-sql/'],
    places: [/^apps\/policy\/sampleDatabaseWorker\.mjs$/, /\.test\.ts$/, /^apps\/policy\/src\/testing\//],
    where: 'the sample database of apps/policy and tests',
  },
  {
    libraries: ['jose'],
    places: [
      /^packages\/service\//,
      /^apps\/gateway\/src\/authenticate(\.test)?\.ts$/,
      /^apps\/directory\/src\/operations\/tokens(\.test)?\.ts$/,
    ],
    where: 'packages/service, the authenticate.ts of the gateway and the tokens.ts of the directory',
  },
];

/** Folders that may import nothing from npm or Node but what is named here. */
const closedFolders = [
  { folder: /^packages\/contract\//, libraries: ['zod'], name: 'contract' },
  { folder: /^packages\/client\/src\/(?!testing\/)/, libraries: [], name: 'client' },
  // Browsers load the modules as they are compiled, and know no packages.
  { folder: /^apps\/(console|reference)\//, libraries: [], name: 'a page' },
  { folder: /\/src\/(.+\/)?logic\//, libraries: [], name: 'logic/' },
];

/**
 * The parser libraries that one `logic/` folder names for itself, by that folder's path.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const parserLibraries = {
  'apps/policy/src/logic/': ['libpg-query', '@pgsql/types'],
};

/** What a test file may import besides what its folder may, Node's own modules included. */
const testImports = [`${SCOPE}testing`, 'fast-check', 'vitest', 'yaml'];

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
  return file.replace(/\.[cm]?[jt]s$/, '');
}

/** @param {string} specifier */
export function isRelative(specifier) {
  return /^\.\.?(\/|$)/.test(specifier);
}

/**
 * Judges one import.
 * @param {string} file the importing file
 * @param {string} specifier what it imports, as written
 * @returns {string | undefined} why the import is refused, or undefined when it may stand
 */
export function judgeImport(file, specifier) {
  const folder = workspaceFolder(file);
  if (folder === undefined) return undefined;
  if (isRelative(specifier)) return judgeRelative(file, folder, resolveRelative(file, specifier));
  if (/^[/#]|^[a-z]+:/.test(specifier) && !isBuiltin(specifier)) {
    return `"${specifier}" is neither a relative path nor the name of a package.`;
  }
  if (/^(node:)?process$/.test(specifier)) return 'Use the global process, not the module.';
  if (TEST_FILE.test(file) && isTestImport(specifier)) return undefined;
  if (specifier.startsWith(SCOPE)) return judgeWorkspaceImport(file, folder, specifier);
  return judgeLibrary(file, specifier);
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
  const logic = logicFolder(file);
  if (logic !== undefined && !target.startsWith(logic)) {
    return `logic/ imports its own logic/ and the contract alone, not ${target}.`;
  }
  if (isInFolder(file, 'store') && isInFolder(target, 'operations')) {
    return 'store/ never imports operations/: an operation calls the store.';
  }
  return undefined;
}

/**
 * @param {string} file
 * @param {string} folder
 * @param {string} specifier
 */
function judgeWorkspaceImport(file, folder, specifier) {
  const name = specifier.slice(SCOPE.length).split('/')[0] ?? '';
  const allowed = workspaceImports[folder] ?? (folder.startsWith('apps/') ? SERVICE_IMPORTS : []);
  if (!allowed.includes(name)) {
    return `${folder} may not import ${SCOPE}${name}; it may import ${allowed.join(', ') || 'no workspace package'}.`;
  }
  if (logicFolder(file) !== undefined && name !== 'contract') {
    return `logic/ imports its own logic/ and the contract alone, not ${specifier}.`;
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
 * @param {string} file
 * @param {string} name
 */
function isInFolder(file, name) {
  return file.split('/').slice(0, -1).includes(name);
}
