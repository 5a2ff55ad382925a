import type { DiffSide } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { diffPreviews } from '../logic/previewDiff.js';
import type { Answer, Input, Policy } from '../policy.js';
import { makePreview } from './compile.js';
import { requireProjectAdmin } from './refusals.js';
import { resolveFor } from './resolution.js';

/** Resolves and compiles for an actor; writes nothing. */
export async function previewPolicies(
  policy: Policy,
  { projectId, connectionId, sql, referencedEntities, ...question }: Input<'previews', 'preview'>,
  context: CallContext,
): Answer<'previews', 'preview'> {
  await requireProjectAdmin(policy, projectId, context);
  const ground = { projectId, connectionId };
  const resolution = await resolveFor(policy, { ground, question, path: '', actorPath: 'actor' }, context);
  return { ok: true, data: await makePreview(policy, resolution, { sql, referencedEntities }) };
}

/** Two previews side by side; writes nothing. */
export async function diffPolicyPreviews(
  policy: Policy,
  input: Input<'previews', 'diff'>,
  context: CallContext,
): Answer<'previews', 'diff'> {
  const { projectId, connectionId, actor, sql, referencedEntities } = input;
  await requireProjectAdmin(policy, projectId, context);
  const previewSide = async (name: 'before' | 'after') => {
    const side: DiffSide = input[name];
    const asked = {
      ground: { projectId, connectionId },
      question: { ...side, actor: side.actor ?? actor },
      path: `${name}.`,
      actorPath: side.actor === undefined ? 'actor' : `${name}.actor`,
    };
    const resolution = await resolveFor(policy, asked, context);
    return makePreview(policy, resolution, { sql, referencedEntities });
  };
  const [before, after] = await Promise.all([previewSide('before'), previewSide('after')]);
  return { ok: true, data: diffPreviews(before, after) };
}
