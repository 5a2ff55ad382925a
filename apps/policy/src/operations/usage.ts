import type { CallContext } from '@gatehouse/service';
import type { Answer, Input, Policy } from '../policy.js';
import { requireAdmin } from './refusals.js';

const NAMED_MAX = 10;

/** The definitions that keep a connection from being deleted. */
export async function findConnectionUsage(
  { stores }: Policy,
  { connectionId }: Input<'usage', 'ofConnection'>,
  context: CallContext,
): Answer<'usage', 'ofConnection'> {
  const { projectId } = requireAdmin(context);
  const found = await stores.definitions.listOfConnection(projectId, connectionId, NAMED_MAX);
  return { definitions: found.map(({ _id: id, name }) => ({ id, name })) };
}
