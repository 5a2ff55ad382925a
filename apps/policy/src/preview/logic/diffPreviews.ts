import type { CompiledCondition, Preview, PreviewDiff, TableDifference } from '@gatehouse/contract';

/** The condition of one table in a preview. */
interface TableCondition {
  table: string;
  schema: string | null;
  expression: string;
}

/**
 * The differences between two previews of one connection. Only what they enforce is compared, not ids: the
 * connection, the schemas, the rules and, for a statement or tables, the conditions. Secret values are
 * compared as they are shown.
 */
export function diffPreviews(before: Preview, after: Preview): PreviewDiff {
  const isSameBy = (of: (preview: Preview) => unknown) =>
    canonicalJson(of(before)) === canonicalJson(of(after));
  const cls = { isSame: isSameBy(enforcedCls) };
  const sls = { isSame: isSameBy(enforcedSls) };
  const tables = compareTables(before, after);
  const sql = {
    isSame: isSameBy(({ compiled }) => [compiled.sql, compiled.parameters]),
    before: before.compiled.inlineSql,
    after: after.compiled.inlineSql,
  };
  const isSame =
    [cls, sls, sql].every((part) => part.isSame) &&
    tables.length === 0 &&
    isSameBy(enforcedRules) &&
    isSameBy(({ compiled }) => [compiled.status, compiled.reasons]);
  return { before, after, isSame, cls, sls, tables, sql };
}

function enforcedCls({ cls }: Preview): unknown {
  return cls && [cls.connectionString, cls.filePaths, cls.params];
}

function enforcedSls({ sls }: Preview): unknown {
  return sls && [sls.schema, sls.allowedSchemas?.toSorted()];
}

function enforcedRules({ rls }: Preview): unknown {
  return rls.rules
    .map(({ matcher, expression, resolvedExpression, params }) =>
      canonicalJson([matcher, resolvedExpression ?? [expression, params]]),
    )
    .toSorted();
}

function compareTables(before: Preview, after: Preview): TableDifference[] {
  const [old, current] = [conditionsByTable(before), conditionsByTable(after)];
  const names = [...new Set([...old.keys(), ...current.keys()])].toSorted();
  return names.flatMap((name): TableDifference[] => {
    const [was, is] = [old.get(name), current.get(name)];
    const { table, schema } = was ?? is ?? { table: name, schema: null };
    if (was?.expression === is?.expression) return [];
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    return [{ table, schema, change, before: was?.expression ?? null, after: is?.expression ?? null }];
  });
}

/**
 * A table that is read several times has the same condition each time. If the conditions differ, all are
 * listed, one per line.
 */
function conditionsByTable({ compiled }: Preview): Map<string, TableCondition> {
  const byTable = new Map<string, CompiledCondition[]>();
  for (const condition of compiled.conditions) {
    const key = JSON.stringify([condition.schema, condition.table]);
    const known = byTable.get(key);
    if (known) known.push(condition);
    else byTable.set(key, [condition]);
  }
  return new Map(
    [...byTable].map(([key, conditions]) => {
      const expressions = new Set(conditions.map(({ expression }) => expression).toSorted());
      const [{ table, schema } = { table: '', schema: null }] = conditions;
      return [key, { table, schema, expression: [...expressions].join('\n') }];
    }),
  );
}

/** JSON with sorted keys: the same text for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
