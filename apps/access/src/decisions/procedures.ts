import type { access } from '@gatehouse/contract';
import type { Handlers, ServiceClients } from '@gatehouse/service';
import type { ResourceKinds } from '../resources/kind.js';
import { explainAccess, type DecisionDependencies } from './explainAccess.js';
import { explainPastAccess } from './explainPastAccess.js';
import { listViewers } from './listViewers.js';

type AccessHandlers = Handlers<(typeof access)['procedures']>;
type DecisionHandlers = Pick<AccessHandlers, 'dashboardDecisions' | 'visualDecisions'>;

function decisionHandlers(dependencies: DecisionDependencies): AccessHandlers['dashboardDecisions'] {
  return {
    async explain({ at, ...query }, context) {
      if (at === undefined) return { access: await explainAccess(dependencies, query, context) };
      return { access: await explainPastAccess(dependencies, { ...query, at }, context) };
    },
    viewers: (input, context) => listViewers(dependencies, input, context),
  };
}

/** The handlers of explanations, present and past, and of viewer lists. */
export function createDecisionProcedures(
  { dashboards, visuals }: ResourceKinds,
  { directory, audit: { history } }: Pick<ServiceClients, 'directory' | 'audit'>,
): DecisionHandlers {
  const dependencies = { dashboards, directory, history };
  return {
    dashboardDecisions: decisionHandlers({ kind: dashboards, ...dependencies }),
    visualDecisions: decisionHandlers({ kind: visuals, ...dependencies }),
  };
}
