import { createHash } from 'node:crypto';
import { AppError, type InputOf, type OutputOf, type Services } from '@gatehouse/contract';
import type { CallOrigin, InternalTokenSigner, Logger, ServiceClients } from '@gatehouse/service';
import type { BoundRecord } from '../../logic/migration/plan.js';
import { bindingTextOf } from '../../logic/migration/binding.js';
import type { MigrationDocument, MigrationStore } from '../../store/migrations.js';
import type { Repositories } from '../repositories.js';

/** What the operations of migrations work with. */
export interface Migrations {
  store: MigrationStore;
  services: Pick<ServiceClients, 'access' | 'semantics' | 'directory'>;
  repositories: Repositories;
  signer: InternalTokenSigner | undefined;
  log: Logger;
  /** How long a process may be silent before another takes over what it was doing. */
  leaseMs: number;
  /** Told after what a step does is done, and again after that is recorded. */
  afterStep(name: string): Promise<void>;
}

type Procedures = Services['lifecycle']['procedures']['migrations'];
export type Input<V extends keyof Procedures> = InputOf<Procedures[V]>;
export type Answer<V extends keyof Procedures> = Promise<OutputOf<Procedures[V]>>;

/** One object for all calls, so that its token is made once in a while. */
const LIFECYCLE = { kind: 'system', name: 'lifecycle' } as const;

/** The origin of the calls by which the service writes by itself. Throws UNAVAILABLE where it was given no key. */
export async function ownOrigin({ signer }: Migrations, { actor }: MigrationDocument): Promise<CallOrigin> {
  if (signer === undefined) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 60 });
  return { token: await signer.sign(LIFECYCLE), requestId: actor.requestId };
}

/** The hash that names the states of all records that a plan is bound to. */
export function planHashOf(bound: readonly BoundRecord[]): string {
  return createHash('sha256').update(bindingTextOf(bound)).digest('base64url');
}
