import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const UNITS: Record<string, number> = {
  Ki: 1024,
  KiB: 1024,
  Mi: 1024 ** 2,
  MiB: 1024 ** 2,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The first number of a text, in bytes or milliseconds if a unit follows it. */
function valueOf(text: string): number {
  const [, digits = '', million, unit = ''] = /([\d,]+)( million)?(?: ([A-Za-z]+?)s?\b)?/.exec(text) ?? [];
  return Number(digits.replaceAll(',', '')) * (million ? 1_000_000 : 1) * (UNITS[unit] ?? 1);
}

/** The value of a constant, or of a field, that is a product of whole numbers. */
function constantOf(file: string, name: string): number {
  const [, product = ''] = new RegExp(`\\b${name}(?: =|:) ([\\d_ *]+)`).exec(read(file)) ?? [];
  return product.split('*').reduce((value, factor) => value * Number(factor.replaceAll('_', '')), 1);
}

const VALIDATION = ['docs/validation.md', 'apps/lifecycle/src/validation/logic/report.ts'] as const;
const MIGRATION = ['docs/migration.md', 'apps/lifecycle/src/migration/readFacts.ts'] as const;
const CATALOG = ['docs/connections.md', 'apps/semantics/src/introspection/logic/tableList.ts'] as const;
const SAMPLES = ['docs/policies.md', 'apps/policy/src/policyTests/sampleSteps.ts'] as const;
const BOUNDS = ['docs/policies.md', 'apps/policy/src/sql/logic/bounds.ts'] as const;
const PARSER = ['docs/policies.md', 'apps/policy/src/sql/postgres/logic/parser.ts'] as const;
const LINT = ['docs/policies.md', 'apps/policy/src/lint/collectWarnings.ts'] as const;

/** The page, the file of the constant, the statement of the page from its number on, and the constant. */
const CLAIMS: (readonly [page: string, file: string, text: string, name: string])[] = [
  [...VALIDATION, '10,000 issues', 'issues'],
  [...VALIDATION, '10,000 cards', 'cards'],
  [...VALIDATION, '500 selected entities', 'selectedEntities'],
  [...VALIDATION, '1,000 filters', 'filters'],
  [...VALIDATION, '1,000 distinct visuals', 'linkedVisuals'],
  [...VALIDATION, '25 million lookups', 'lookups'],
  [...VALIDATION, '250,000 times', 'comparisons'],
  ['docs/validation.md', 'apps/lifecycle/src/validation/catalogCache.ts', '128 MiB for all', 'MAX_BYTES'],
  [...MIGRATION, '1,000 visuals, directly', 'VISUALS_MAX'],
  [...MIGRATION, '4 MiB, which', 'OUTLINES_MAX'],
  [
    'docs/migration.md',
    'packages/contract/src/services/lifecycle/migration.ts',
    '2,000 entries',
    'RESOURCES_MAX',
  ],
  [...CATALOG, '5,000, 20,000', 'MAX_SCHEMAS'],
  [...CATALOG, '20,000 and', 'MAX_TABLES'],
  [...CATALOG, '200,000.', 'MAX_COLUMNS'],
  [...CATALOG, '8 MiB of JSON', 'MAX_JSON_BYTES'],
  ['docs/semantics.md', 'apps/semantics/src/catalogs/checkCatalog.ts', '12 MiB of JSON', 'CATALOG_MAX_BYTES'],
  ['docs/semantics.md', 'apps/semantics/src/catalogs/storeVersion.ts', '20 versions', 'VERSIONS_KEPT'],
  ['docs/semantics.md', 'apps/semantics/src/records/writeRecord.ts', '1,000 records', 'RECORDS_MAX'],
  [...SAMPLES, '1,000 rows', 'ROWS_MAX'],
  [...SAMPLES, '1 MiB of JSON', 'ROWS_BYTES_MAX'],
  [
    'docs/policies.md',
    'apps/policy/src/policyTests/runTests.ts',
    '8 seconds, without its waits',
    'RUN_TIME_MS',
  ],
  ['docs/policies.md', 'apps/policy/src/policyTests/createTest.ts', '200 tests', 'TESTS_MAX'],
  [...BOUNDS, '300 tables', 'FROM_ITEMS_MAX'],
  [...BOUNDS, '1,664 columns', 'COLUMNS_MAX'],
  [...BOUNDS, '4,194,304 characters at most: both', 'PRINTED_MAX'],
  [...BOUNDS, '5,000,000 steps', 'STEPS_MAX'],
  [...BOUNDS, '100 reasons', 'REASONS_MAX'],
  [...PARSER, '1,048,576 characters', 'LENGTH_MAX'],
  [...PARSER, '60,000 tokens', 'TOKENS_MAX'],
  ['docs/policies.md', 'apps/policy/src/sql/polyglot/logic/readText.ts', '262,144 characters', 'LENGTH_MAX'],
  ['docs/policies.md', 'apps/policy/src/sql/polyglot/logic/mask.ts', '10,000 tokens', 'WORDS_MAX'],
  ['docs/api.md', 'apps/policy/src/limits/logic/byteBudget.ts', '16 MiB of JSON, then', 'BYTES_MAX'],
  [...LINT, '200 assignments', 'ASSIGNMENTS_ON_SAVE'],
  [...LINT, '2,000 definitions', 'DEFINITIONS_MAX'],
  [...LINT, '20,000 assignments', 'ASSIGNMENTS_MAX'],
  ['docs/api.md', 'apps/gateway/src/plugins/exchanges.ts', '100, and 64 KiB', 'HEADERS_MAX'],
  ['docs/api.md', 'apps/gateway/src/server.ts', '64 KiB together', 'HEADERS_MAX_BYTES'],
  ['docs/api.md', 'apps/directory/src/tokens/logic/validateRequest.ts', '8,000 bytes', 'GRANTS_BYTES_MAX'],
  ['docs/api.md', 'apps/directory/src/idempotency/procedures.ts', '10 MiB', 'BODY_BYTES_MAX'],
  ['docs/api.md', 'packages/contract/src/services/batch.ts', '500, each counted', 'BATCH_MAX'],
  ['docs/api.md', 'packages/contract/src/services/access.ts', '1,000 questions', 'CHECKS_MAX'],
  ['docs/operations.md', 'packages/contract/src/rest/route.ts', '64 levels', 'JSON_DEPTH_MAX'],
  [
    'docs/operations.md',
    'packages/contract/src/rest/route.ts',
    '512 KiB for a token',
    'TOKEN_BODY_LIMIT_BYTES',
  ],
  ['docs/operations.md', 'packages/contract/src/vocabulary.ts', '10,000, 500', 'SHARES_MAX'],
  ['docs/operations.md', 'packages/contract/src/vocabulary.ts', '100,000, 100', 'GROUP_MEMBERS_MAX'],
  ['docs/webhooks.md', 'apps/audit/src/deliveries/sweeps.ts', '30 days', 'KEPT_MS'],
];

it.each(CLAIMS)('%s has the limit of %s: %s', (page, file, text, name) => {
  expect(read(page).replaceAll(/\s+/g, ' ')).toContain(text);
  expect(valueOf(text)).toBe(constantOf(file, name));
});

/** The files of the capacities that services divide between organizations. */
const SHARES: Readonly<Record<string, readonly [file: string, name: string]>> = {
  introspections: ['apps/semantics/src/introspection/introspectDatabase.ts', 'reads'],
  validations: ['apps/lifecycle/src/validation/procedures.ts', 'SHARES'],
  'analyses, migrations and rollbacks': ['apps/lifecycle/src/migration/procedures.ts', 'SHARES'],
  'commits by git': ['apps/lifecycle/src/service.ts', 'COMMITS'],
  'versions read or compared by git': ['apps/lifecycle/src/versionControl/procedures.ts', 'SHARES'],
  'pushes to remotes': ['apps/lifecycle/src/versionControl/pushQueue.ts', 'SHARES'],
  'reads of access in the past': ['apps/audit/src/history/procedures.ts', 'SHARES'],
  'reads of members of groups': ['apps/directory/src/groups/memberLists.ts', 'SHARES'],
  'pages of visuals for migrations': ['apps/lifecycle/src/service.ts', 'PAGES'],
};

it.each(Object.entries(SHARES))('docs/operations.md has the shares of %s', (what, [file, name]) => {
  const [, row = ''] = new RegExp(`^\\| ${what} +\\|(.*)\\|$`, 'm').exec(read('docs/operations.md')) ?? [];
  const [, limits = ''] = new RegExp(`\\b${name} = (?:new FairShares\\()?\\{(.*?)\\}`).exec(read(file)) ?? [];
  const limitOf = (field: string) =>
    Number(new RegExp(`\\b${field}: ([\\d_]+)`).exec(limits)?.[1]?.replaceAll('_', ''));
  const fields = ['capacity', 'perShare', 'waitingPerShare', 'waitMs'];
  expect(row.split('|').map(valueOf)).toEqual(fields.map(limitOf));
});

it('docs/api.md has the default and the maximum of every list', () => {
  const [, list = ''] =
    /The default and the maximum of `limit`:\n\n(.*?)\n\n/s.exec(read('docs/api.md')) ?? [];
  const rows = [...list.matchAll(/^- ([\d,]+), at most ([\d,]+): (.*(?:\n {2}.*)*)$/gm)].map(
    ([, standard = '', maximum = '', names = '']) => ({
      limits: [valueOf(standard), valueOf(maximum)],
      names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    }),
  );
  const lists = readLists();
  const others = rows.find(({ names }) => names.length === 0);
  const documented = lists.map(({ operationId }) => ({
    operationId,
    limits: (rows.find(({ names }) => names.includes(operationId)) ?? others)?.limits,
  }));
  expect(documented).toEqual(lists);
  const known = lists.map(({ operationId }) => operationId);
  expect(rows.flatMap(({ names }) => names).filter((name = '') => !known.includes(name))).toEqual([]);
});

interface Operation {
  operationId: string;
  parameters?: { name: string; schema: { default?: number; maximum?: number } }[];
}

/** The operations with a `limit`, each with its default and its maximum. */
function readLists() {
  const { paths } = JSON.parse(read('docs/openapi.json')) as { paths: Record<string, { get?: Operation }> };
  // `pageSize` may take its place, so the operation sets the default, and not the schema.
  const tenantUsers = constantOf('apps/directory/src/people/manageTenantUsers.ts', 'LIMIT_DEFAULT');
  return Object.values(paths).flatMap(({ get }) => {
    const schema = get?.parameters?.find(({ name }) => name === 'limit')?.schema;
    if (!get || !schema) return [];
    return [{ operationId: get.operationId, limits: [schema.default ?? tenantUsers, schema.maximum] }];
  });
}
