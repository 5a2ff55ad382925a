import type { JsonObject, ModelTemplate } from '@gatehouse/contract';
import fc from 'fast-check';
import type { SourceFacts, TargetFacts } from '../migration/logic/facts.js';
import type { MigrationRequest, RequestFacts } from '../migration/logic/request.js';

/** A random dashboard and its references. Ids hold the index of the record, as `dom_3`. */
export interface Graph {
  template: JsonObject | null;
  frames: (JsonObject | null)[];
  domains: ModelTemplate[];
  datamodels: { connection: number; template: ModelTemplate }[];
  /** Whether each record is reused (true), copied (false) or, for a visual, dropped (null). */
  choices: { domain: boolean[]; datamodel: boolean[]; visual: (boolean | null)[] };
  profileNames: (string | null)[];
}

const COUNTS = { connection: 4, domain: 3, datamodel: 3, visual: 6, profile: 2 } as const;

const idIn = (prefix: string, count: number) => fc.nat(count - 1).map((number) => `${prefix}_${number}`);
const connectionId = idIn('c', COUNTS.connection);
const domainId = idIn('dom', COUNTS.domain);
const datamodelId = idIn('dm', COUNTS.datamodel);
const visualId = idIn('v', COUNTS.visual);
const profileId = idIn('ap', COUNTS.profile);

/** Keys that the platform does not know, in any order. Some values look like ids. */
const unknown = fc.dictionary(
  fc.constantFrom('note', 'x', 'connection', 'ids', 'style', '10', '9'),
  fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    connectionId,
    fc.record({ connectionId: fc.constant('u_1'), nested: fc.constant(1.25) }),
  ),
  { maxKeys: 3 },
);

/** An object with unknown keys before and after the known keys. */
function withUnknown(known: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.tuple(unknown, known, unknown).map(([before, own, after]) => ({
    ...before,
    ...own,
    ...Object.fromEntries(Object.entries(after).map(([key, value]) => [`after ${key}`, value])),
  }));
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Omits undefined fields, which JSON does not have. */
const compact = (value: Record<string, unknown>): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => withUnknown(fc.record(fields).map(compact));

const sources = {
  connectionId: optional(connectionId),
  domainId: optional(domainId),
  datamodelId: optional(datamodelId),
};
const part = record({ ...sources, table: fc.constant('orders') });
const parts = fc.array(part, { maxLength: 2 });
const card = record({
  id: fc.string(),
  dataSource: optional(record({ ...sources, selectedEntities: optional(parts), joins: optional(parts) })),
  fields: optional(
    record({ columns: optional(parts), metrics: optional(parts), pivot: fc.constant('none') }),
  ),
  filters: optional(fc.oneof(parts, fc.constant('none'))),
});
const frame = record({
  visualId: optional(fc.oneof(visualId, fc.constant(''), fc.constant(7))),
  cards: optional(fc.array(card, { maxLength: 3 })),
});
const template = record({
  sheets: optional(
    fc.array(record({ frames: optional(fc.array(frame, { maxLength: 3 })) }), { maxLength: 3 }),
  ),
  filters: optional(parts),
  aiContext: optional(
    record({ ...sources, assistantProfileId: optional(profileId), selectedEntities: optional(parts) }),
  ),
});

const modelTemplate = (connection: fc.Arbitrary<string | undefined>): fc.Arbitrary<ModelTemplate> =>
  fc.array(connection, { maxLength: 3 }).map((connections) => ({
    datasets: connections.map((connectionOf, index) => ({
      name: `dataset ${index}`,
      table: 'orders',
      ...(connectionOf !== undefined && { connectionId: connectionOf }),
    })),
    relationships: [],
    calculatedFields: [],
  }));

const times = <T>(count: number, arbitrary: fc.Arbitrary<T>) =>
  fc.array(arbitrary, { minLength: count, maxLength: count });

/** Random dashboards with everything that they refer to, including visuals that link each other in cycles. */
export const graphs: fc.Arbitrary<Graph> = fc.record({
  template: fc.option(template, { nil: null, freq: 20 }),
  frames: times(COUNTS.visual, fc.option(frame, { nil: null, freq: 10 })),
  domains: times(COUNTS.domain, modelTemplate(optional(connectionId))),
  datamodels: times(
    COUNTS.datamodel,
    fc.record({ connection: fc.nat(COUNTS.connection - 1), template: modelTemplate(fc.constant(undefined)) }),
  ),
  choices: fc.record({
    domain: times(COUNTS.domain, fc.boolean()),
    datamodel: times(COUNTS.datamodel, fc.boolean()),
    visual: times(COUNTS.visual, fc.option(fc.boolean(), { nil: null })),
  }),
  profileNames: times(COUNTS.profile, fc.option(fc.constantFrom('Ada', 'Bob'), { nil: null })),
});

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const toMap = <T extends { id: string }>(records: T[]) => new Map(records.map((each) => [each.id, each]));

/** The source project of a graph. */
export function sourceOf({ template: body, frames, domains, datamodels, profileNames }: Graph): SourceFacts {
  const content = { description: 'D', tags: ['t'], version: 3 };
  const dashboard = { id: 'd_1', title: 'Dashboard', ...content };
  return {
    projectId: 'p_source',
    dashboard: { ...dashboard, isDataApp: false, template: body, level: 'EDITOR' },
    visuals: toMap(
      frames.map((frameObject, n) => ({ id: `v_${n}`, title: `Visual ${n}`, ...content, frameObject })),
    ),
    connections: toMap(
      numbers(COUNTS.connection).map((n) => ({
        id: `c_${n}`,
        name: `Connection ${n}`,
        type: 'static' as const,
        dialect: 'postgres' as const,
      })),
    ),
    domains: toMap(
      domains.map((model, n) => ({
        id: `dom_${n}`,
        name: `domain_${'abc'[n]}`,
        label: 'L',
        description: 'D',
        template: model,
        version: 2,
      })),
    ),
    datamodels: toMap(
      datamodels.map(({ connection, template: model }, n) => ({
        id: `dm_${n}`,
        name: `Model ${n}`,
        description: 'D',
        connectionId: `c_${connection}`,
        template: model,
        version: 2,
      })),
    ),
    assistantProfiles: toMap(
      profileNames.flatMap((name, n) => (name === null ? [] : [{ id: `ap_${n}`, name }])),
    ),
  };
}

/** A target project with one counterpart for each record of the source project. */
export function targetOf(): TargetFacts {
  const named = (prefix: string, count: number) =>
    numbers(count).map((n) => ({ id: `t_${prefix}_${n}`, name: `${prefix} ${n}`, version: 5 }));
  return {
    project: { id: 'p_target', name: 'Target' },
    connections: named('c', COUNTS.connection).map(({ id, name }) => ({
      id,
      name,
      type: 'static' as const,
      dialect: 'postgres' as const,
    })),
    domains: named('dom', COUNTS.domain),
    datamodels: named('dm', COUNTS.datamodel),
    assistantProfiles: [{ id: 't_ap_ada', name: 'Ada' }],
    visuals: named('v', COUNTS.visual).map(({ id, name, version }) => ({ id, title: name, version })),
    dashboard: null,
    commitOnSave: 'off',
  };
}

/** The request with the graph's choices. It maps every connection. */
export function requestOf(
  { choices }: Graph,
  reached: Record<string, ReadonlySet<string>>,
): MigrationRequest {
  const mapping = (noun: 'domain' | 'datamodel' | 'visual', prefix: string) =>
    Object.fromEntries(
      choices[noun].flatMap((choice, n) => {
        const id = `${prefix}_${n}`;
        if (!reached[noun]?.has(id)) return [];
        const value = choice === null ? 'unlink' : choice ? `t_${id}` : null;
        return [[id, value] as const];
      }),
    );
  return {
    id: 'd_1',
    targetProjectId: 'p_target',
    connectionMapping: Object.fromEntries([...(reached['connection'] ?? [])].map((id) => [id, `t_${id}`])),
    domainMapping: mapping('domain', 'dom'),
    datamodelMapping: mapping('datamodel', 'dm'),
    visualMapping: mapping('visual', 'v'),
    dryRun: false,
  };
}

/** The facts that a request is checked against, for a caller with all permissions. */
export function requestFactsOf(
  source: SourceFacts,
  target: TargetFacts,
  request: MigrationRequest,
): RequestFacts {
  return { request, source, target, canCreateDomains: true };
}
