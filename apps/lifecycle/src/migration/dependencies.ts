import type { InputOf, OutputOf, Services } from '@gatehouse/contract';
import type { FairShares, InternalTokenSigner, Logger, ServiceClients } from '@gatehouse/service';
import type { VersionControlDependencies } from '../versionControl/openLocalRepository.js';
import type { MigrationStore } from './store.js';

/** Settings of a migration that tests override. */
export interface MigrationSettings {
  /** How long a lease lasts without renewal. Then another process takes the migration over. */
  leaseMs: number;
  /** A hook that runs after each step, and again after the step is recorded. Tests end the process in it. */
  afterStep(name: string): Promise<void>;
}

/** The dependencies of the operations of this feature. */
export interface MigrationDependencies extends MigrationSettings {
  store: MigrationStore;
  services: Pick<ServiceClients, 'access' | 'semantics' | 'directory'>;
  versionControl: VersionControlDependencies;
  /** Limits the pages of visuals that are held at once, fairly between organizations. */
  pageShares: FairShares;
  signer: InternalTokenSigner | undefined;
  log: Logger;
}

type Procedures = Services['lifecycle']['procedures']['migrations'];
export type Input<V extends keyof Procedures> = InputOf<Procedures[V]>;
export type Output<V extends keyof Procedures> = Promise<OutputOf<Procedures[V]>>;
