import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gatehouse/contract';
import type { ResourceHeader } from '../store/resourceDocument.js';
import type { ResourceWrite } from '../store/resourceWrites.js';
import type { Asker } from './asker.js';
import type { ResourceKind } from './resourceKind.js';

/** A change of one resource, made of a decision that is taken on exactly the state that is written over. */
export interface ResourceUpdate {
  id: string;
  /** What to write on this state; null to leave it as it is. Throws to refuse. May be asked again on a later state. */
  decide: (header: ResourceHeader) => Promise<ResourceWrite | null>;
  /** Whether the answer needs the body. */
  readsBody?: boolean;
  /** Whether the decision needs the body, so that what is remembered of the resource does not do. */
  decidesOnBody?: boolean;
}

const ATTEMPTS_MAX = 5;
const STEP_ASIDE_MS = 10;

async function writeOnce(
  kind: ResourceKind,
  header: ResourceHeader,
  { write, readsBody }: { write: ResourceWrite; readsBody: boolean },
): Promise<ResourceHeader | null> {
  const { store, headers } = kind;
  // A body that was read with the header, or is written, need not be read again.
  const readsAgain = readsBody && header.body === undefined && write.change.body === undefined;
  const after = readsAgain
    ? await store.changeResourceWithBody(header.projectId, header, write)
    : await store.changeResource(header.projectId, header, write);
  if (after === null) headers.forget(header._id);
  else headers.keep(after);
  return after;
}

/** Tries on the remembered state. Nothing is refused or left alone because of it: it may be out of date. */
async function changeRemembered(
  kind: ResourceKind,
  projectId: string,
  { id, decide, readsBody = false, decidesOnBody = false }: ResourceUpdate,
): Promise<ResourceHeader | null> {
  const header = decidesOnBody ? undefined : kind.headers.find(projectId, id);
  if (header === undefined) return null;
  try {
    const write = await decide(header);
    return write === null ? null : await writeOnce(kind, header, { write, readsBody });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Attempts until one is made on a state that is still there: null says that another process was faster. Throws
 * UNAVAILABLE when others were faster each time.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let number = 1; number <= ATTEMPTS_MAX; number += 1) {
    const outcome = await attempt();
    if (outcome !== null) return outcome;
    // Two processes that wait equally long would only meet again.
    await sleep(Math.random() * number * STEP_ASIDE_MS);
  }
  throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
}

async function changeRead(
  kind: ResourceKind,
  projectId: string,
  { id, decide, readsBody = false, decidesOnBody = false }: ResourceUpdate,
): Promise<ResourceHeader | null> {
  const { store } = kind;
  const header = await (readsBody || decidesOnBody
    ? store.getHeaderWithBody(projectId, id)
    : store.getHeader(projectId, id));
  const write = await decide(header);
  return write === null ? header : writeOnce(kind, header, { write, readsBody });
}

/**
 * Changes a resource of the asker's project and answers it as it is then. Concurrent changes take turns in this process,
 * and start over when another process was faster: each is decided on what the one before has left. Throws NOT_FOUND,
 * whatever `decide` throws, and UNAVAILABLE when others were faster each time.
 */
export async function changeResource(
  kind: ResourceKind,
  { projectId }: Pick<Asker, 'projectId'>,
  update: ResourceUpdate,
): Promise<ResourceHeader> {
  return kind.turns.take(update.id, async () => {
    const changed = await changeRemembered(kind, projectId, update);
    return changed ?? retryOnConflict(() => changeRead(kind, projectId, update));
  });
}
