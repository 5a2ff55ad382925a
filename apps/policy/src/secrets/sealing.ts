import type { Params, ParamValue } from '@gatehouse/contract';
import type { SealedField, Sealer } from '@gatehouse/service';
import {
  HIDDEN,
  replaceConfigSecrets,
  replaceSecrets,
  type PolicyConfigs,
  type SecretParam,
} from './logic/secretParams.js';
import type { Sealed, AssignmentDocument, DefinitionDocument, TestDocument } from '../store/documents.js';
import type { DefinitionFacts } from '../preview/logic/facts.js';

/** The record that a value is sealed for. The value cannot be opened for another record. */
export interface Place {
  collection: 'definitions' | 'assignments' | 'tests';
  projectId: string;
  id: string;
}

type Secrets = Record<string, ParamValue>;

const contextOf = ({ collection, projectId, id }: Place) => `policy/${collection}/${projectId}/${id}`;

function sealedField(collection: Place['collection'], field: string): SealedField {
  return {
    collection,
    path: [field, 'sealedSecrets'],
    contextOf: ({ _id, projectId }) => contextOf({ collection, projectId, id: _id }),
  };
}

export const SEALED_FIELDS: readonly SealedField[] = [
  sealedField('definitions', 'configs'),
  sealedField('assignments', 'params'),
  sealedField('tests', 'runtimeParams'),
];

function seal(
  sealer: Sealer,
  place: Place,
  { shown, secrets }: { shown: unknown; secrets: SecretParam[] },
): Sealed {
  const values: Secrets = Object.fromEntries(secrets.map(({ path, value }) => [path, value]));
  return {
    shown: JSON.stringify(shown),
    sealedSecrets: secrets.length === 0 ? null : sealer.seal(JSON.stringify(values), contextOf(place)),
  };
}

function open(sealer: Sealer, place: Place, sealed: string): (secret: SecretParam) => ParamValue {
  const values = JSON.parse(sealer.open(sealed, contextOf(place))) as Secrets;
  return ({ path }) => {
    const value = values[path];
    if (value === undefined) throw new Error('A sealed value is missing');
    return value;
  };
}

/** Seals the secret values of configs for storage. */
export function sealConfigs(sealer: Sealer, place: Place, configs: PolicyConfigs): Sealed {
  const secrets: SecretParam[] = [];
  const shown = replaceConfigSecrets(configs, (secret) => {
    secrets.push(secret);
    return HIDDEN;
  });
  return seal(sealer, place, { shown, secrets });
}

/** Seals the secret values of params for storage. */
export function sealParams(sealer: Sealer, place: Place, params: Params): Sealed {
  const secrets: SecretParam[] = [];
  const shown = replaceSecrets(params, 'params', (secret) => {
    secrets.push(secret);
    return HIDDEN;
  });
  return seal(sealer, place, { shown, secrets });
}

/** Stored configs with their secret values as `***`. */
export function shownConfigs({ shown }: Sealed): PolicyConfigs {
  return JSON.parse(shown) as PolicyConfigs;
}

/** Stored values with the secret ones as `***`. */
export function shownParams(sealed: Sealed | null): Params | null {
  return sealed && (JSON.parse(sealed.shown) as Params);
}

/**
 * Stored configs with their secret values.
 * @throws if a value cannot be opened
 */
function openConfigs(sealer: Sealer, place: Place, sealed: Sealed): PolicyConfigs {
  const shown = shownConfigs(sealed);
  if (sealed.sealedSecrets === null) return shown;
  return replaceConfigSecrets(shown, open(sealer, place, sealed.sealedSecrets));
}

/**
 * Stored values, including secrets; none if none are stored.
 * @throws if a value cannot be opened
 */
function openParams(sealer: Sealer, place: Place, sealed: Sealed | null): Params {
  const shown = shownParams(sealed);
  if (!sealed?.sealedSecrets || !shown) return shown ?? {};
  return replaceSecrets(shown, 'params', open(sealer, place, sealed.sealedSecrets));
}

export const definitionPlace = ({
  projectId,
  _id: id,
}: Pick<DefinitionDocument, 'projectId' | '_id'>): Place => {
  return { collection: 'definitions', projectId, id };
};

export const assignmentPlace = ({
  projectId,
  _id: id,
}: Pick<AssignmentDocument, 'projectId' | '_id'>): Place => {
  return { collection: 'assignments', projectId, id };
};

/** The configs of a stored definition with their secret values. */
export function configsOf({ sealer }: { sealer: Sealer }, document: DefinitionDocument): PolicyConfigs {
  return openConfigs(sealer, definitionPlace(document), document.configs);
}

/** The values of a stored assignment, secret ones included. */
export function paramsOf({ sealer }: { sealer: Sealer }, document: AssignmentDocument) {
  return openParams(sealer, assignmentPlace(document), document.params);
}

/** A stored definition, opened for a resolution. */
export function definitionFacts(deps: { sealer: Sealer }, document: DefinitionDocument): DefinitionFacts {
  return { id: document._id, name: document.name, ...configsOf(deps, document) };
}

export const testPlace = ({ projectId, _id: id }: Pick<TestDocument, 'projectId' | '_id'>): Place => {
  return { collection: 'tests', projectId, id };
};

/** The values of a stored test, secret ones included. */
export function testParamsOf({ sealer }: { sealer: Sealer }, document: TestDocument) {
  return openParams(sealer, testPlace(document), document.runtimeParams);
}
