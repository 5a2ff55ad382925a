import type { Caller, ProcedureAt, ProcedureOutput, ProcedurePath, RawInputOf } from '@gatehouse/contract';
import type { MigrationSettings } from '@gatehouse/lifecycle';
import type { Databases, EventBus } from '@gatehouse/service';

export interface MigrationPlatform extends AsyncDisposable {
  bus: EventBus;
  call<P extends ProcedurePath>(
    path: P,
    caller: Caller,
    input: RawInputOf<ProcedureAt<P>>,
    operationKey?: string,
  ): Promise<ProcedureOutput<P>>;
}

export function startMigrationPlatform(options: {
  databases: Databases;
  settings?: Partial<MigrationSettings>;
  /** Without it there is no version control. */
  repositoryDir?: string | undefined;
  sweepIntervalMs?: number;
  /** More environment variables of the services. */
  variables?: Record<string, string>;
}): Promise<MigrationPlatform>;
