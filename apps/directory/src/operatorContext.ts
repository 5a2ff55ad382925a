import { AppError, type Principal } from '@gatehouse/contract';
import { newKey, type CallContext, type ServiceRuntime } from '@gatehouse/service';

/** The operator's own call, by a program on the database: it comes with no token. */
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
