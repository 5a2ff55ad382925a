import type { CatalogIndex } from './catalogIndex.js';
import {
  BROKEN_ENTITY,
  UNKNOWN_ENTITY,
  type ConnectionFacts,
  type ModelFacts,
  type SchemaFacts,
} from './schema.js';
import type { TemplateNode } from './templateNode.js';
import { LIMITS, TooLarge, type Report } from './report.js';
import type { Resources } from './resources.js';
import { createSelection, scopeOf, type Scope, type SelectedEntity } from './selection.js';
import { createDatabaseSource, createModelSource, type Resolved, type Source } from './sources.js';

/** The state of the validation of one template. */
export interface ValidationState {
  facts: SchemaFacts;
  report: Report;
  resources: Resources;
  /** A cache of the sources: many cards have the same one. */
  sources: Map<string, Source>;
}

const MODES = ['database', 'domain', 'datamodel'] as const;
type Mode = (typeof MODES)[number];
type ModelMode = Exclude<Mode, 'database'>;

const MODELS = {
  domain: { key: 'domainId', noun: 'domains', code: 'DOMAIN_NOT_FOUND', label: 'semantic domain' },
  datamodel: { key: 'datamodelId', noun: 'datamodels', code: 'DATAMODEL_NOT_FOUND', label: 'data model' },
} as const;

/**
 * The mode of a data source, by default inferred from its ids; null for an unknown mode, which is reported.
 */
function readMode(dataSource: TemplateNode, report: Report): Mode | null {
  const node = dataSource.at('mode');
  if (node.isAbsent) {
    if (!dataSource.at('domainId').isAbsent) return 'domain';
    return dataSource.at('datamodelId').isAbsent ? 'database' : 'datamodel';
  }
  const mode = MODES.find((known) => known === node.value);
  if (mode === undefined) report.malformed(node.path, `one of ${MODES.join(', ')}`);
  return mode ?? null;
}

/** Stands for a record that the caller may not read. */
type Unread = 'unread';

/** Reports a record that the caller may not read, with the same message whether or not the record exists. */
function reportUnread(
  noun: 'connections' | 'datamodels',
  { node, id }: { node: TemplateNode; id: string },
  { report, resources }: ValidationState,
): Unread {
  resources.add(noun, id, { name: null, isValid: true });
  report.add('CATALOG_UNAVAILABLE', node.path, {
    message: `The caller may not read ${id}, so it is not checked`,
  });
  return 'unread';
}

/** The connection of a data source. Reports one that does not exist, or that is required but absent. */
function findConnection(
  dataSource: TemplateNode,
  isRequired: boolean,
  state: ValidationState,
): ConnectionFacts | Unread | null {
  const { facts, report, resources } = state;
  const node = dataSource.at('connectionId');
  if (node.isAbsent && isRequired)
    report.add('CONNECTION_NOT_FOUND', dataSource.path, { message: 'The data source names no connection' });
  const id = node.text();
  if (id === null) return null;
  if (facts.isLimited) return reportUnread('connections', { node, id }, state);
  const connection = facts.connections.get(id) ?? null;
  resources.add('connections', id, { name: connection?.name ?? null, isValid: connection !== null });
  if (connection === null)
    report.add('CONNECTION_NOT_FOUND', node.path, { message: `There is no connection ${id}` });
  return connection;
}

function findModel(
  dataSource: TemplateNode,
  mode: ModelMode,
  state: ValidationState,
): ModelFacts | Unread | null {
  const { facts, report, resources } = state;
  const { key, noun, code, label } = MODELS[mode];
  const node = dataSource.at(key);
  if (node.isAbsent) report.add(code, dataSource.path, { message: `The data source names no ${label}` });
  const id = node.text();
  if (id === null) return null;
  if (mode === 'datamodel' && facts.isLimited) return reportUnread('datamodels', { node, id }, state);
  const model = facts[noun].get(id) ?? null;
  resources.add(noun, id, { name: model?.name ?? null, isValid: model !== null });
  if (model === null) report.add(code, node.path, { message: `There is no ${label} ${id}` });
  return model;
}

function modelSourceOf(
  model: ModelFacts,
  connectionId: string | null,
  { sources, facts }: ValidationState,
): Source {
  const key = `${model.id} ${connectionId ?? ''}`;
  const source = sources.get(key) ?? createModelSource(model, facts, connectionId);
  sources.set(key, source);
  return source;
}

function databaseSourceOf(
  connection: ConnectionFacts,
  catalog: CatalogIndex,
  { sources }: ValidationState,
): Source {
  // The key of a model has a space.
  const source = sources.get(connection.id) ?? createDatabaseSource(connection, catalog);
  sources.set(connection.id, source);
  return source;
}

const BROKEN = scopeOf(BROKEN_ENTITY);
const UNKNOWN = scopeOf(UNKNOWN_ENTITY);

/** The source of a card, or a substitute scope when there is no source to read. */
function findSource(dataSource: TemplateNode, isSql: boolean, state: ValidationState): Source | Scope {
  const { report } = state;
  const mode = readMode(dataSource, report);
  if (mode === null) return BROKEN;
  const connection = findConnection(dataSource, mode === 'database', state);
  if (mode !== 'database') {
    const model = findModel(dataSource, mode, state);
    if (model === 'unread') return UNKNOWN;
    const connectionId = connection === null || connection === 'unread' ? null : connection.id;
    return model === null ? BROKEN : modelSourceOf(model, connectionId, state);
  }
  if (connection === 'unread') return UNKNOWN;
  if (connection === null) return BROKEN;
  if (connection.catalog !== null) return databaseSourceOf(connection, connection.catalog, state);
  // A SQL statement is not analyzed, so it needs no catalog.
  if (!isSql) {
    const message = `The catalog of connection ${connection.name} has not been read, so nothing of it is checked`;
    report.add('CATALOG_UNAVAILABLE', dataSource.at('connectionId').path, { message });
  }
  return UNKNOWN;
}

/** Reads `{database?, schema?, table}`; null for any other value, which is reported. */
function readReference(node: TemplateNode) {
  if (!node.isEntry()) return null;
  const [database, schema] = ['database', 'schema'].map((key) => node.at(key).text() ?? undefined);
  const table = node.at('table').requiredText(node);
  return table === null ? null : { database, schema, table };
}
export type EntityReference = NonNullable<ReturnType<typeof readReference>>;

/** The references of a list of selected entities. Throws TooLarge for a list above the limit. */
export function readReferences(list: TemplateNode): { node: TemplateNode; reference: EntityReference }[] {
  if (list.length > LIMITS.selectedEntities)
    throw new TooLarge(list.path, `has more than ${LIMITS.selectedEntities} entries`);
  return [...list.items()].flatMap((node) => {
    const reference = readReference(node);
    return reference === null ? [] : [{ node, reference }];
  });
}

function reportProblem(
  { report }: ValidationState,
  { problem }: Resolved,
  { source, node, reference }: { source: Source; node: TemplateNode; reference: EntityReference },
): void {
  if (problem === null) return;
  const { code, message } = problem;
  const { path } = node.at('table');
  const entity = reference.table;
  if (code !== 'ENTITY_NOT_FOUND') return report.add(code, path, { message, entity });
  report.addMissing({
    code,
    path,
    message,
    written: entity,
    entity,
    offered: source.offered(reference),
    isColumn: false,
    renamed: () => source.renamed(reference),
  });
}

function selectEntity(
  at: { source: Source; node: TemplateNode; reference: EntityReference },
  state: ValidationState,
): SelectedEntity {
  const { source, reference } = at;
  const { resources } = state;
  const resolved = source.find(reference);
  reportProblem(state, resolved, at);
  const { entity } = resolved;
  const { connection } = entity;
  if (connection !== null)
    resources.add('connections', connection.id, { name: connection.name, isValid: true });
  const names = [reference.database, reference.schema, reference.table].filter((name) => name !== undefined);
  const id = `${source.id}/${names.join('.')}`;
  resources.add('datasets', id, { name: reference.table, isValid: !entity.isBroken });
  return { entity, written: names };
}

function* selectEntities(
  dataSource: TemplateNode,
  source: Source,
  state: ValidationState,
): Generator<void, Scope> {
  const selected: SelectedEntity[] = [];
  for (const each of readReferences(dataSource.at('selectedEntities'))) {
    selected.push(selectEntity({ source, ...each }, state));
    yield;
  }
  return createSelection(source, selected);
}

function isScope(found: Source | Scope): found is Scope {
  return 'named' in found;
}

/**
 * The scope of a card's data source. Reports the problems of the data source itself. Yields after each
 * selected entity.
 */
export function* readDataSource(
  dataSource: TemplateNode,
  isSql: boolean,
  state: ValidationState,
): Generator<void, Scope> {
  const found = findSource(dataSource, isSql, state);
  if (isScope(found)) return found;
  return isSql ? scopeOf(UNKNOWN_ENTITY, found) : yield* selectEntities(dataSource, found, state);
}

/** The scope of a card without a data source. */
export const NO_SCOPE: Scope = BROKEN;
