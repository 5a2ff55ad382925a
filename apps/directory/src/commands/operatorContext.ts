import { AppError, type Principal } from '@gatehouse/contract';
import { newKey, type CallContext, type ServiceRuntime } from '@gatehouse/service';

/** The call context of a command that the operator runs on the database. It has no token. */
export function operatorContext({ log }: Pick<ServiceRuntime, 'log'>): CallContext {
  return {
    token: '',
    requestId: `operator-${newKey()}`,
    caller: { kind: 'system', name: 'operator' },
    get principal(): Principal {
      throw new AppError('FORBIDDEN');
    },
    now: new Date(),
    log,
  };
}
