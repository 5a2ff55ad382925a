import type { DefinitionFacts } from '../logic/model.js';
import type { PolicyConfigs } from '../logic/secretParams.js';
import type { Policy } from '../policy.js';
import type { AssignmentDocument, DefinitionDocument, TestDocument } from '../store/documents.js';
import { openConfigs, openParams, type Place } from './sealing.js';

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
export function configsOf({ sealer }: Pick<Policy, 'sealer'>, document: DefinitionDocument): PolicyConfigs {
  return openConfigs(sealer, definitionPlace(document), document.configs);
}

/** The values of a stored assignment, secret ones included. */
export function paramsOf({ sealer }: Pick<Policy, 'sealer'>, document: AssignmentDocument) {
  return openParams(sealer, assignmentPlace(document), document.params);
}

/** A stored definition as a resolution takes it. */
export function definitionFacts(
  policy: Pick<Policy, 'sealer'>,
  document: DefinitionDocument,
): DefinitionFacts {
  return { id: document._id, name: document.name, ...configsOf(policy, document) };
}

export const testPlace = ({ projectId, _id: id }: Pick<TestDocument, 'projectId' | '_id'>): Place => {
  return { collection: 'tests', projectId, id };
};

/** The values of a stored test, secret ones included. */
export function testParamsOf({ sealer }: Pick<Policy, 'sealer'>, document: TestDocument) {
  return openParams(sealer, testPlace(document), document.runtimeParams);
}
