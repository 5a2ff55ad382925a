import type { MigrationPlan, OperationInput } from '@gatehouse/client';
import { useRef, useState } from 'react';
import { useApi } from '../../data/api.js';
import { randomKey } from '../../data/randomKey.js';

type Request = OperationInput<'migrateDashboard'>;

/** A plan, and the request that carries it out. */
export interface Planned {
  plan: MigrationPlan;
  request: Request;
  /** The same for each attempt, so that a retry after a lost response makes no second copy. */
  idempotencyKey: string;
}

interface State {
  planned: Planned | null;
  isRunning: boolean;
  error: unknown;
}

const NONE: State = { planned: null, isRunning: false, error: null };

/** The plan of a migration by a dry run. A plan that arrives after a change of the choices is dropped. */
export function usePlan() {
  const api = useApi();
  const [state, setState] = useState(NONE);
  const edition = useRef(0);
  const run = async (request: Request) => {
    edition.current += 1;
    const current = edition.current;
    const end = (change: Partial<State>) => {
      if (current === edition.current) setState({ ...NONE, ...change });
    };
    setState({ ...NONE, isRunning: true });
    try {
      const response = await api.migrateDashboard({ ...request, dryRun: true });
      if ('plan' in response) end({ planned: { plan: response.plan, request, idempotencyKey: randomKey() } });
    } catch (error) {
      end({ error });
    }
  };
  const clear = () => {
    edition.current += 1;
    setState(NONE);
  };
  return { ...state, run, clear };
}
