/** Which library may be imported where, as data. */

/**
 * Libraries that only some files may import. A name ending in `/` stands for a whole npm scope.
 * @type {readonly { libraries: readonly string[], places: readonly RegExp[], where: string }[]}
 */
export const reservedLibraries = [
  {
    libraries: ['mongodb', 'bson'],
    places: [
      /^apps\/[^/]+\/src\/(.+\/)?store(\/|\.ts$)/,
      /^packages\/(service|testing)\//,
      /^packages\/engine\/(host\.mjs|.+\.test\.ts)$/,
      /^bench\//,
    ],
    where:
      'store.ts and store/, packages/service, packages/testing, host.mjs and tests of packages/engine, bench',
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
      'packages/service, the authenticate.ts and oidc/provider.ts of the gateway ' +
      'and the signToken.ts of the directory',
  },
];

/** Folders that may import only these modules of npm and Node. */
export const closedFolders = [
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
export const typesOnly = [
  { folder: /^packages\/contract\//, libraries: ['@trpc/'], name: 'contract' },
  // Its values would bring zod and every schema into the browser.
  {
    folder: /^apps\/console\/src\/(?!.*\.test\.ts$)/,
    libraries: ['@gatehouse/contract'],
    // It imports nothing.
    except: ['@gatehouse/contract/placeholders'],
    name: 'the console',
  },
];

/**
 * The parser libraries that one `logic/` folder names for itself, by that folder's path.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const parserLibraries = {
  'apps/policy/src/sql/postgres/logic/': ['libpg-query', '@pgsql/types'],
};
