import { z } from 'zod';
import { rule } from '../../fieldErrors.js';
import { Migration, MigrationAnalysis, MigrationPreview, MigrationResult } from '../../records/migration.js';
import { CommitMessage } from '../../records/versionControl.js';
import { Id, text } from '../../vocabulary.js';
import { mutation, query } from '../procedure.js';

/** An id as a template holds it, which may be any text. */
const SourceId = text(1, 200);
const RESOURCES_MAX = 2000;
const hasFewEntries = (mapping: object) => Object.keys(mapping).length <= RESOURCES_MAX;
const tooMany = () => rule(`must have ${RESOURCES_MAX} entries or fewer`, 'length');

/** An existing record of the target project, or null for a copy. */
const Mapping = z.record(SourceId, Id.nullable()).refine(hasFewEntries, tooMany()).optional();
const ToCreate = z.array(SourceId).max(RESOURCES_MAX).optional();

const MigrationRequest = z.strictObject({
  id: Id,
  targetProjectId: Id,
  connectionMapping: z.record(SourceId, Id).refine(hasFewEntries, tooMany()),
  domainMapping: Mapping,
  domainsToCreate: ToCreate,
  datamodelMapping: Mapping,
  datamodelsToCreate: ToCreate,
  /** `unlink` drops the reference. */
  visualMapping: Mapping,
  visualsToCreate: ToCreate,
  replaceExistingId: Id.optional(),
  commitMessage: CommitMessage.optional(),
  /** Returns the plan and writes nothing. */
  dryRun: z.boolean().default(false),
});

const ById = z.strictObject({ id: Id });

/** Copies of dashboards in other projects. */
export const migrations = {
  migrate: mutation(MigrationRequest, z.union([MigrationResult, MigrationPreview])),
  /** The records that a migration would need, and their replacements in the target project. */
  analyze: query(z.strictObject({ id: Id, targetProjectId: Id }), MigrationAnalysis),
  /** Those from or into the caller's project, the newest first: an ADMIN's are all, others' their own. */
  list: query(
    z.strictObject({
      limit: z.number().int().min(1).max(500).default(100),
      cursor: text(1, 2000).optional(),
    }),
    z.object({ migrations: z.array(Migration), nextCursor: z.string().nullable() }),
  ),
  get: query(ById, z.object({ migration: Migration })),
  /** Restores the previous state. Rejected if one of the created records has been changed or used since. */
  rollback: mutation(ById, z.object({ migration: Migration })),
};
