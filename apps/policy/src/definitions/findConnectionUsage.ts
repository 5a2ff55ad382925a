import type { CallContext } from '@gatehouse/service';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { requireAdmin } from '../admission/refusals.js';

const NAMED_MAX = 10;

/** The definitions that block the deletion of a connection. */
export async function findConnectionUsage(
  { stores }: Dependencies,
  { connectionId }: Input<'usage', 'ofConnection'>,
  context: CallContext,
): Result<'usage', 'ofConnection'> {
  const { projectId } = requireAdmin(context);
  const found = await stores.definitions.listOfConnection(projectId, connectionId, NAMED_MAX);
  return { definitions: found.map(({ _id: id, name }) => ({ id, name })) };
}
