import { AppError, type ModelTemplate } from '@gatehouse/contract';
import {
  connectionIdsIn,
  findTemplateFaults,
  findUnknownConnections,
  type TemplateOwner,
} from '../logic/modelTemplate.js';
import type { Semantics } from '../semantics.js';
import { refuseFaults } from './refusals.js';

/** The JSON text of a template that was checked, as it is stored. Throws INVALID_REQUEST; `prefix` goes before each field. */
export async function checkTemplate(
  { stores }: Semantics,
  template: ModelTemplate,
  { projectId, owner, prefix }: { projectId: string; owner: TemplateOwner; prefix: string },
): Promise<string> {
  refuseFaults(findTemplateFaults(template, owner), prefix);
  const ids = connectionIdsIn(template);
  const known = ids.length === 0 ? [] : await stores.connections.listByIds(projectId, ids);
  refuseFaults(findUnknownConnections(template, new Set(known.map(({ _id }) => _id))), prefix);
  return JSON.stringify(template);
}

/**
 * Makes sure, after a write that refers to connections, that they are all still there: whoever deletes one either sees the
 * reference or is made to look again. When one is gone, takes the write back and throws INVALID_REQUEST.
 */
export async function holdConnections(
  { stores }: Semantics,
  { projectId, ids, field }: { projectId: string; ids: readonly string[]; field: string },
  takeBack: () => Promise<unknown>,
): Promise<void> {
  if (await stores.connections.touchAll(projectId, ids)) return;
  await takeBack();
  throw new AppError('INVALID_REQUEST', {
    fieldErrors: [{ field, message: 'names a connection that was deleted meanwhile' }],
  });
}
