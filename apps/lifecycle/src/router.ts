import type { lifecycle } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { MigrationDependencies } from './migration/dependencies.js';
import { createMigrationProcedures } from './migration/procedures.js';
import type { FactSources } from './validation/loadFacts.js';
import { createValidationProcedures } from './validation/procedures.js';
import type { VersionControlDependencies } from './versionControl/openLocalRepository.js';
import { createVersionControlProcedures } from './versionControl/procedures.js';

interface LifecycleDependencies {
  validation: FactSources;
  migration: MigrationDependencies;
  versionControl: VersionControlDependencies;
}

/** Joins the procedures of all features. */
export function createHandlers({
  validation,
  migration,
  versionControl,
}: LifecycleDependencies): Handlers<(typeof lifecycle)['procedures']> {
  return {
    validation: createValidationProcedures(validation),
    migrations: createMigrationProcedures(migration),
    versionControl: createVersionControlProcedures(versionControl),
  };
}
