import type { LintWarning, Params, PolicyActor, Preview, PreviewDiff, RlsConfig } from '@gatehouse/contract';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useApi, type Api } from '../../../data/api.js';
import { isComplete } from '../../../logic/policyRules.js';
import { useSession } from '../../../session/SessionContext.js';

/** What is previewed. */
export interface Situation {
  connectionId: string;
  /** Null while none is chosen. */
  actor: PolicyActor | null;
  sql: string;
  definitionId: string | null;
  /** The rules in place of the stored ones; undefined if they are the stored ones. */
  draft: RlsConfig | null | undefined;
  /** Whether the definition counts as assigned to the actor. */
  isAssigned: boolean;
  /** The values that the request brings; null for none. */
  runtimeParams: Params | null;
}

export interface Previewed {
  /** By the stored policies. */
  stored: Preview;
  /** With the draft; null without one. */
  diff: PreviewDiff | null;
}

const DELAY_MS = 300;

function draftAssignment(definitionId: string, { kind, ...ids }: PolicyActor) {
  return { definitionId, scopeType: kind, ...ids };
}

function draftSide({ actor, definitionId, draft, isAssigned }: Situation) {
  if (definitionId === null) return draft ? { tokenPolicyInput: { rls: draft } } : null;
  const side = {
    ...(draft === undefined ? {} : { draftDefinition: { definitionId, rlsConfig: draft } }),
    ...(isAssigned && actor !== null ? { draftAssignment: draftAssignment(definitionId, actor) } : {}),
  };
  return Object.keys(side).length === 0 ? null : side;
}

async function load(
  api: Api,
  { situation, projectId }: { situation: Situation; projectId: string },
  signal: AbortSignal,
): Promise<Previewed> {
  const { connectionId, actor, sql, runtimeParams } = situation;
  if (actor === null) throw new Error('no actor is chosen');
  const input = { projectId, connectionId, actor, ...(sql.trim() === '' ? {} : { sql }) };
  const values = runtimeParams === null ? {} : { runtimeParams };
  const after = draftSide(situation);
  if (after === null)
    return { stored: (await api.previewPolicies({ ...input, ...values }, { signal })).data, diff: null };
  const sides = { before: values, after: { ...after, ...values } };
  const { data: diff } = await api.comparePolicyPreviews({ ...input, ...sides }, { signal });
  return { stored: diff.before, diff };
}

/**
 * The preview of a situation, a moment after it has changed. The last one stays until its response arrives,
 * and a response to an earlier situation is discarded.
 */
export function usePreview(situation: Situation) {
  const api = useApi();
  const { project } = useSession();
  const [settled] = useDebouncedValue(JSON.stringify(situation), DELAY_MS);
  const current = JSON.parse(settled) as Situation;
  // JSON has no undefined: a draft that is left out is none.
  const requested = { ...current, draft: 'draft' in current ? current.draft : undefined };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['workbench', project.id, settled],
    queryFn: ({ signal }) => load(api, { situation: requested, projectId: project.id }, signal),
    enabled: requested.actor !== null && isComplete(requested.draft ?? null),
    // Statements may contain data: they do not outlive the screen.
    gcTime: 0,
  });
  const place = `${requested.connectionId} ${JSON.stringify(requested.actor)}`;
  const last = useRef<{ place: string; data: Previewed } | null>(null);
  if (data !== undefined) last.current = { place, data };
  return {
    previewed: last.current?.place === place ? last.current.data : null,
    error,
    isPending: isFetching || settled !== JSON.stringify(situation),
    retry: () => void refetch(),
  };
}

const NO_WARNINGS: readonly LintWarning[] = [];

/** The warnings about a draft; without one, about the stored definitions of the connection. */
export function useWarnings(
  { connectionId, definitionId }: Pick<Situation, 'connectionId' | 'definitionId'>,
  draft: RlsConfig | null,
): readonly LintWarning[] {
  const api = useApi();
  const { project } = useSession();
  const [settled] = useDebouncedValue(JSON.stringify(draft), DELAY_MS);
  const rlsConfig = JSON.parse(settled) as RlsConfig | null;
  const { data } = useQuery({
    queryKey: ['workbench', project.id, 'lint', connectionId, definitionId, settled],
    queryFn: async ({ signal }) => {
      const of = definitionId === null || rlsConfig === null ? { connectionId } : { definitionId };
      const input = { projectId: project.id, ...of, ...(rlsConfig === null ? {} : { rlsConfig }) };
      return (await api.lintPolicies(input, { signal })).data.warnings;
    },
    enabled: isComplete(rlsConfig),
    placeholderData: (former) => former,
    gcTime: 0,
  });
  return data ?? NO_WARNINGS;
}
