import {
  BROKEN_ENTITY,
  UNKNOWN_ENTITY,
  type ConnectionFacts,
  type ModelFacts,
  type SchemaFacts,
} from './facts.js';
import type { Place } from './place.js';
import { LIMITS, TooLarge, type Report } from './report.js';
import type { Resources } from './resources.js';
import { createSelection, scopeOf, type Scope, type SelectedEntity } from './selection.js';
import { createDatabaseSource, createModelSource, type Finding, type Source } from './sources.js';

/** What the validation of one template has at hand. */
export interface Validating {
  facts: SchemaFacts;
  report: Report;
  resources: Resources;
  /** Those of domains and data models that cards have named so far. */
  sources: Map<string, Source>;
}

const MODES = ['database', 'domain', 'datamodel'] as const;
type Mode = (typeof MODES)[number];
type ModelMode = Exclude<Mode, 'database'>;

const MODELS = {
  domain: { key: 'domainId', noun: 'domains', code: 'DOMAIN_NOT_FOUND', called: 'semantic domain' },
  datamodel: { key: 'datamodelId', noun: 'datamodels', code: 'DATAMODEL_NOT_FOUND', called: 'data model' },
} as const;

/** The mode that a data source names; without one it follows from the ids. Null, reported, for one that there is not. */
function readMode(dataSource: Place, report: Report): Mode | null {
  const place = dataSource.at('mode');
  if (place.isAbsent) {
    if (!dataSource.at('domainId').isAbsent) return 'domain';
    return dataSource.at('datamodelId').isAbsent ? 'database' : 'datamodel';
  }
  const mode = MODES.find((known) => known === place.value);
  if (mode === undefined) report.malformed(place.path, `one of ${MODES.join(', ')}`);
  return mode ?? null;
}

/** The connection that a data source names. Reports one that does not exist, and its absence where it is required. */
function findConnection(
  dataSource: Place,
  isRequired: boolean,
  { facts, report, resources }: Validating,
): ConnectionFacts | null {
  const place = dataSource.at('connectionId');
  if (place.isAbsent && isRequired)
    report.add('CONNECTION_NOT_FOUND', dataSource.path, { message: 'The data source names no connection' });
  const id = place.text();
  if (id === null) return null;
  const connection = facts.connections.get(id) ?? null;
  resources.note('connections', id, { name: connection?.name ?? null, isValid: connection !== null });
  if (connection === null)
    report.add('CONNECTION_NOT_FOUND', place.path, { message: `There is no connection ${id}` });
  return connection;
}

function findModel(
  dataSource: Place,
  mode: ModelMode,
  { facts, report, resources }: Validating,
): ModelFacts | null {
  const { key, noun, code, called } = MODELS[mode];
  const place = dataSource.at(key);
  if (place.isAbsent) report.add(code, dataSource.path, { message: `The data source names no ${called}` });
  const id = place.text();
  if (id === null) return null;
  const model = facts[noun].get(id) ?? null;
  resources.note(noun, id, { name: model?.name ?? null, isValid: model !== null });
  if (model === null) report.add(code, place.path, { message: `There is no ${called} ${id}` });
  return model;
}

function modelSourceOf(
  model: ModelFacts,
  connectionId: string | null,
  { sources, facts }: Validating,
): Source {
  const key = `${model.id} ${connectionId ?? ''}`;
  const source = sources.get(key) ?? createModelSource(model, facts, connectionId);
  sources.set(key, source);
  return source;
}

const BROKEN = scopeOf(BROKEN_ENTITY);
const UNKNOWN = scopeOf(UNKNOWN_ENTITY);

/** The source of a card, or a scope in its place when there is nothing to look into. */
function findSource(dataSource: Place, isSql: boolean, validating: Validating): Source | Scope {
  const { report } = validating;
  const mode = readMode(dataSource, report);
  if (mode === null) return BROKEN;
  const connection = findConnection(dataSource, mode === 'database', validating);
  if (mode !== 'database') {
    const model = findModel(dataSource, mode, validating);
    return model === null ? BROKEN : modelSourceOf(model, connection?.id ?? null, validating);
  }
  if (connection === null) return BROKEN;
  if (connection.catalog !== null) return createDatabaseSource(connection, connection.catalog);
  // A statement is not looked into, so that it needs no catalog.
  if (!isSql) {
    const message = `The catalog of connection ${connection.name} has not been read, so nothing of it is checked`;
    report.add('CATALOG_UNAVAILABLE', dataSource.at('connectionId').path, { message });
  }
  return UNKNOWN;
}

/** Reads `{database?, schema?, table}`; null, reported, when it is not that. */
function readReference(place: Place) {
  if (!place.isEntry()) return null;
  const [database, schema] = ['database', 'schema'].map((key) => place.at(key).text() ?? undefined);
  const table = place.at('table').requiredText(place);
  return table === null ? null : { database, schema, table };
}
export type EntityReference = NonNullable<ReturnType<typeof readReference>>;

/** The entries of a list of selected entities, each with what it refers to. Throws TooLarge for a longer one. */
export function readReferences(list: Place): { place: Place; reference: EntityReference }[] {
  const places = list.items();
  if (places.length > LIMITS.selectedEntities)
    throw new TooLarge(list.path, `has more than ${LIMITS.selectedEntities} entries`);
  return places.flatMap((place) => {
    const reference = readReference(place);
    return reference === null ? [] : [{ place, reference }];
  });
}

function reportProblem(
  { report }: Validating,
  { problem }: Finding,
  { source, place, reference }: { source: Source; place: Place; reference: EntityReference },
): void {
  if (problem === null) return;
  const { code, message } = problem;
  const { path } = place.at('table');
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

function selectEntities(dataSource: Place, source: Source, validating: Validating): Scope {
  const { resources } = validating;
  const selected = readReferences(dataSource.at('selectedEntities')).map(
    ({ place, reference }): SelectedEntity => {
      const finding = source.find(reference);
      reportProblem(validating, finding, { source, place, reference });
      const { entity } = finding;
      const { connection } = entity;
      if (connection !== null)
        resources.note('connections', connection.id, { name: connection.name, isValid: true });
      const written = [reference.database, reference.schema, reference.table];
      const names = written.filter((name) => name !== undefined);
      const id = `${source.id}/${names.join('.')}`;
      resources.note('datasets', id, { name: reference.table, isValid: !entity.isBroken });
      return { entity, written: names };
    },
  );
  return createSelection(source, selected);
}

function isScope(found: Source | Scope): found is Scope {
  return 'named' in found;
}

/** The scope of a card's data source: what its fields are looked up in. Reports what the data source itself lacks. */
export function readDataSource(dataSource: Place, isSql: boolean, validating: Validating): Scope {
  const found = findSource(dataSource, isSql, validating);
  if (isScope(found)) return found;
  return isSql ? scopeOf(UNKNOWN_ENTITY, found) : selectEntities(dataSource, found, validating);
}

/** The scope of a card without a data source, and of a part of a template that cannot be read. */
export const NO_SCOPE: Scope = BROKEN;
