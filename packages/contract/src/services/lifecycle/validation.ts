import { z } from 'zod';
import type { FieldErrorCode } from '../../errors.js';
import { rule } from '../../fieldErrors.js';
import {
  PatchOperation,
  TemplateFix,
  ValidationOptions,
  ValidationResult,
} from '../../records/validation.js';
import { Id, jsonObject, JsonObject, TEMPLATE_MAX_BYTES, text, Timestamp } from '../../vocabulary.js';
import { question } from '../procedure.js';

/** A saved dashboard, or a template that is not saved: exactly one of the two. */
const OneTemplate = z
  .strictObject({
    dashboardId: Id.optional(),
    template: jsonObject(TEMPLATE_MAX_BYTES).optional(),
    options: ValidationOptions.prefault({}),
  })
  .superRefine(({ dashboardId, template }, context) => {
    if ((dashboardId === undefined) !== (template === undefined)) return;
    const fault =
      template === undefined
        ? rule('is required, or template in its place', 'required')
        : rule('goes without template', 'conflict');
    context.addIssue({ code: 'custom', path: ['dashboardId'], ...fault, input: dashboardId });
  });

const Filter = z
  .strictObject({
    type: z.enum(['organization', 'tenant', 'all', 'all-tenants']).default('all'),
    /** Required with type `tenant`. */
    tenantId: Id.optional(),
    /** Only these dashboards. */
    ids: z.array(Id).min(1).max(10_000).optional(),
    /** Only dashboards that refer to a table which changed at this moment or later. */
    changedSince: Timestamp.optional(),
  })
  .superRefine(({ type, tenantId }, context) => {
    const complain = (message: string, code: FieldErrorCode) =>
      context.addIssue({ code: 'custom', path: ['tenantId'], ...rule(message, code), input: tenantId });
    if (type === 'tenant' && tenantId === undefined) complain('is required with type tenant', 'required');
    if (type !== 'tenant' && tenantId !== undefined) complain('goes with type tenant alone', 'conflict');
  });

const Count = z.number().int();
/** A dashboard that could not be validated: the fault is not in its template. */
const Failed = z.object({ dashboardId: Id, error: z.string() });

/** The validation of dashboards against the schemas of their databases. */
export const validation = {
  validate: question(OneTemplate, ValidationResult),
  /** One page of a batch. The gateway joins the pages into one answer, or into a stream. */
  validateAll: question(
    z.strictObject({
      projectId: Id.optional(),
      options: ValidationOptions.prefault({}),
      filter: Filter.prefault({}),
      cursor: text(1, 2000).optional(),
    }),
    z.object({
      projectId: Id,
      /** Of the whole batch, the same on every page. */
      totalDashboards: Count,
      validDashboards: Count,
      invalidDashboards: Count,
      failedDashboards: Count,
      results: z.array(z.union([ValidationResult, Failed])),
      nextCursor: z.string().nullable(),
    }),
  ),
  /** Returns the template with the sure renames applied; saves nothing. */
  fix: question(
    OneTemplate,
    z.object({
      dashboardId: Id.nullable(),
      patch: z.array(PatchOperation),
      fixes: z.array(TemplateFix),
      /** Null where a dashboard has none. */
      template: JsonObject.nullable(),
      /** The result of validation after the patch. */
      result: ValidationResult,
    }),
  ),
};
