import { z } from 'zod';
import { Id, Timestamp } from '../vocabulary.js';

export const VALIDATION_CODES = [
  'TEMPLATE_MISSING',
  'CONNECTION_NOT_FOUND',
  'CATALOG_UNAVAILABLE',
  'ENTITY_NOT_FOUND',
  'FIELD_NOT_FOUND',
  'FILTER_FIELD_NOT_FOUND',
  'JOIN_KEY_NOT_FOUND',
  'DOMAIN_NOT_FOUND',
  'DATAMODEL_NOT_FOUND',
  'VISUAL_NOT_FOUND',
  'VISUAL_INVALID',
  'ASSISTANT_PROFILE_NOT_FOUND',
  'AI_CONTEXT_INVALID',
  /** A part of the template is not of the type that it must be to be understood. */
  'TEMPLATE_MALFORMED',
] as const;
export const ValidationCode = z.enum(VALIDATION_CODES);
export type ValidationCode = z.infer<typeof ValidationCode>;

export const ValidationOptions = z.strictObject({
  validateFilters: z.boolean().default(true),
  validateJoins: z.boolean().default(true),
  validateAIContext: z.boolean().default(true),
  validateAssistantProfile: z.boolean().default(true),
  validateLinkedVisuals: z.boolean().default(true),
  includeAvailableColumns: z.boolean().default(true),
  includeSuggestions: z.boolean().default(true),
  maxSuggestionsPerField: z.number().int().min(0).max(100).default(3),
});
export type ValidationOptions = z.infer<typeof ValidationOptions>;

export const ValidationIssue = z.object({
  code: ValidationCode,
  severity: z.enum(['error', 'warning']),
  /** Where in the template, as a JSON pointer (RFC 6901). */
  path: z.string(),
  message: z.string(),
  field: z.string().optional(),
  entity: z.string().optional(),
  suggestions: z.array(z.string()).optional(),
  availableColumns: z.array(z.string()).optional(),
});
export type ValidationIssue = z.infer<typeof ValidationIssue>;

const Count = z.number().int();
const SUMMARY_NOUNS = [
  'Cards',
  'Fields',
  'Filters',
  'Joins',
  'Connections',
  'Datasets',
  'Datamodels',
] as const;
type SummaryKey = `${'total' | 'valid' | 'invalid'}${(typeof SUMMARY_NOUNS)[number]}`;

/** `totalCards`, `validCards`, `invalidCards` and so on for each noun. */
export const ValidationSummary = z.object(
  Object.fromEntries(
    SUMMARY_NOUNS.flatMap((noun) => [`total${noun}`, `valid${noun}`, `invalid${noun}`]).map((key) => [
      key,
      Count,
    ]),
  ) as Record<SummaryKey, typeof Count>,
);
export type ValidationSummary = z.infer<typeof ValidationSummary>;

const Outcome = { path: z.string(), isValid: z.boolean() };
const ResourceResult = z.object({ id: z.string(), name: z.string().nullable(), isValid: z.boolean() });

export const ValidationResult = z.object({
  /** Null for a template that is not saved. */
  dashboardId: Id.nullable(),
  dashboardTitle: z.string().nullable(),
  /** True when no issue is an error. */
  isValid: z.boolean(),
  validatedAt: Timestamp,
  summary: ValidationSummary,
  cardResults: z.array(
    z.object({ ...Outcome, cardId: z.string().nullable(), title: z.string().nullable(), issueCount: Count }),
  ),
  filterResults: z.array(
    z.object({ ...Outcome, entity: z.string().nullable(), field: z.string().nullable() }),
  ),
  joinResults: z.array(
    z.object({ ...Outcome, source: z.string().nullable(), target: z.string().nullable() }),
  ),
  resourceResults: z.object({
    connections: z.array(ResourceResult),
    datasets: z.array(ResourceResult),
    datamodels: z.array(ResourceResult),
    visuals: z.array(ResourceResult),
    domains: z.array(ResourceResult),
    assistantProfiles: z.array(ResourceResult),
  }),
  issues: z.array(ValidationIssue),
});
export type ValidationResult = z.infer<typeof ValidationResult>;

/** One operation of a JSON Patch (RFC 6902). */
export const PatchOperation = z.object({ op: z.literal('replace'), path: z.string(), value: z.string() });
export type PatchOperation = z.infer<typeof PatchOperation>;

/** A rename that is sure enough to be applied: a rename in the catalog, or the only name one edit away. */
export const TemplateFix = z.object({
  path: z.string(),
  code: ValidationCode,
  from: z.string(),
  to: z.string(),
  reason: z.enum(['catalogRename', 'oneCandidate']),
});
export type TemplateFix = z.infer<typeof TemplateFix>;
