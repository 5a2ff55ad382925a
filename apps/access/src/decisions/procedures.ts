import type { access, ResourceType } from '@gatehouse/contract';
import type { Handlers, ServiceClients } from '@gatehouse/service';
import type { ResourceKinds } from '../resources/kind.js';
import { checkAccess, type CheckParts } from './checkAccess.js';
import { checkPastAccess } from './checkPastAccess.js';
import { explainAccess, type DecisionDependencies } from './explainAccess.js';
import { explainPastAccess } from './explainPastAccess.js';
import { listAccess } from './listAccess.js';
import { listPastAccess, listPastAccessSubjects } from './listPastAccess.js';
import { listAccessSubjects, listViewers } from './listViewers.js';

type AccessHandlers = Handlers<(typeof access)['procedures']>;
type DecisionHandlers = Pick<AccessHandlers, 'checks' | 'dashboardDecisions' | 'visualDecisions'>;

function decisionHandlers(dependencies: DecisionDependencies): AccessHandlers['dashboardDecisions'] {
  return {
    async explain({ at, ...query }, context) {
      if (at === undefined) return { access: await explainAccess(dependencies, query, context) };
      return { access: await explainPastAccess(dependencies, { ...query, at }, context) };
    },
    viewers: (input, context) => listViewers(dependencies, input, context),
  };
}

function checkHandlers(dependencies: CheckParts): AccessHandlers['checks'] {
  const { dashboards, visuals, ...others } = dependencies;
  const of = (type: ResourceType): DecisionDependencies => ({
    kind: type === 'dashboard' ? dashboards : visuals,
    dashboards,
    ...others,
  });
  return {
    check: ({ at, ...input }, context) =>
      at === undefined
        ? checkAccess(dependencies, input, context)
        : checkPastAccess(dependencies, { ...input, at }, context),
    list: ({ resourceType, at, ...query }, context) =>
      at === undefined
        ? listAccess(of(resourceType), query, context)
        : listPastAccess(of(resourceType), { ...query, at }, context),
    subjects: ({ resourceType, at, ...query }, context) =>
      at === undefined
        ? listAccessSubjects(of(resourceType), query, context)
        : listPastAccessSubjects(of(resourceType), { ...query, at }, context),
  };
}

/** The handlers of explanations, checks and lists of access, present and past. */
export function createDecisionProcedures(
  { dashboards, visuals }: ResourceKinds,
  { directory, audit: { history } }: Pick<ServiceClients, 'directory' | 'audit'>,
): DecisionHandlers {
  const dependencies = { dashboards, directory, history };
  return {
    checks: checkHandlers({ visuals, ...dependencies }),
    dashboardDecisions: decisionHandlers({ kind: dashboards, ...dependencies }),
    visualDecisions: decisionHandlers({ kind: visuals, ...dependencies }),
  };
}
