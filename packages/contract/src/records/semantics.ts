import { z } from 'zod';
import { Id, label, text, Timestamp } from '../vocabulary.js';
import { SqlName } from './catalog.js';

/** Lowercase letters and underscores, unique in the project. */
export const DomainName = text(1, 100).regex(/^[a-z_]+$/, 'must be lowercase letters and underscores only');
export const DomainLabel = label(200);

export const Domain = z.object({
  id: Id,
  projectId: Id,
  name: z.string(),
  label: z.string(),
  description: z.string(),
  /** The org user who made it; null when that is not known. */
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.number().int(),
});
export type Domain = z.infer<typeof Domain>;

/** A table under the name that dashboards use. */
export const Dataset = z.strictObject({
  name: SqlName,
  /** Absent in a data model, which has one connection for all of its datasets. */
  connectionId: Id.optional(),
  database: SqlName.optional(),
  schema: SqlName.optional(),
  table: SqlName,
  label: text(0, 200).optional(),
  description: text(0, 5000).optional(),
});
export type Dataset = z.infer<typeof Dataset>;

const JoinColumns = z.strictObject({ sourceColumn: SqlName, targetColumn: SqlName });
/** How two datasets are joined, by their names. */
export const Relationship = z.strictObject({
  source: SqlName,
  target: SqlName,
  on: z.array(JoinColumns).min(1).max(20),
  type: z.enum(['inner', 'left', 'right', 'full']).default('inner'),
});
export type Relationship = z.infer<typeof Relationship>;

/** A calculated field of a dataset. */
export const CalculatedField = z.strictObject({
  dataset: SqlName,
  name: SqlName,
  expression: text(1, 10_000),
  type: text(0, 200).optional(),
});
export type CalculatedField = z.infer<typeof CalculatedField>;

/** The content of a semantic domain or a data model: datasets, their joins, and calculated fields. */
export const ModelTemplate = z.strictObject({
  datasets: z.array(Dataset).max(2000).default([]),
  relationships: z.array(Relationship).max(5000).default([]),
  calculatedFields: z.array(CalculatedField).max(5000).default([]),
});
export type ModelTemplate = z.infer<typeof ModelTemplate>;

export const DataModelSummary = z.object({
  id: Id,
  projectId: Id,
  name: z.string(),
  description: z.string(),
  connectionId: Id,
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.number().int(),
});
export type DataModelSummary = z.infer<typeof DataModelSummary>;
export const DataModel = DataModelSummary.extend({ template: ModelTemplate });
export type DataModel = z.infer<typeof DataModel>;

/** Instructions for an assistant that answers questions about a dashboard's data. */
export const AssistantProfile = z.object({
  id: Id,
  projectId: Id,
  name: z.string(),
  description: z.string(),
  instructions: z.string(),
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.number().int(),
});
export type AssistantProfile = z.infer<typeof AssistantProfile>;
