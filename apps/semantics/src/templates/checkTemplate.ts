import { AppError, type ModelTemplate } from '@gatehouse/contract';
import { WriteConflict } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { rejectFaults } from '../records/writeRecord.js';
import {
  connectionIdsIn,
  findTemplateFaults,
  findUnknownConnections,
  type TemplateOwner,
} from './logic/modelTemplate.js';

/**
 * Checks a template and returns the JSON text that is stored. Throws INVALID_REQUEST; `prefix` is prepended
 * to each field.
 */
export async function checkTemplate(
  { stores }: Dependencies,
  template: ModelTemplate,
  { projectId, owner, prefix }: { projectId: string; owner: TemplateOwner; prefix: string },
): Promise<string> {
  rejectFaults(findTemplateFaults(template, owner), prefix);
  const ids = connectionIdsIn(template);
  const known = ids.length === 0 ? [] : await stores.connections.listByIds(projectId, ids);
  rejectFaults(findUnknownConnections(template, new Set(known.map(({ _id }) => _id))), prefix);
  return JSON.stringify(template);
}

/**
 * Confirms, after a write that refers to connections, that all of them still exist. A concurrent deletion
 * either sees the reference or conflicts with this write and is decided again. If a connection is deleted,
 * reverts the write, unless the record has changed since, and throws INVALID_REQUEST.
 */
export async function confirmConnections(
  { stores }: Dependencies,
  { projectId, ids, field }: { projectId: string; ids: readonly string[]; field: string },
  revert: () => Promise<unknown>,
): Promise<void> {
  if (await stores.connections.touchAll(projectId, ids)) return;
  try {
    await revert();
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  throw new AppError('INVALID_REQUEST', {
    fieldErrors: [{ field, message: 'names a connection that was deleted meanwhile', code: 'reference' }],
  });
}
