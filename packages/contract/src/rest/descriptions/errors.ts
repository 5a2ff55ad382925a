import type { FieldTexts } from './texts.js';

/** The bodies of errors. */
export const errorFields: FieldTexts = {
  '*': {
    error: 'The message, a sentence for people',
    details: 'The faults of the fields in one sentence; empty if there are none',
    code: 'The code of the error, for programs; see the catalogue of errors',
    fieldErrors: 'The faults of the fields of the request, at most 100',
    blockedBy: 'The records that prevent the operation, at most ten',
    dashboardSaved: 'Always true: the dashboard was saved, although its commit failed',
    requestId: 'The id of the request, as in `X-Request-Id`, in the log and in the audit log',
  },
  ManagementError: {
    dashboard: 'The dashboard as it was saved; present with `COMMIT_FAILED`',
    versionControl: 'The result of the commit; present with `COMMIT_FAILED`',
  },
  ExportAuditEventsLineError: {
    dashboard: 'The dashboard as it was saved; present with `COMMIT_FAILED`',
    versionControl: 'The result of the commit; present with `COMMIT_FAILED`',
  },
  SecurityError: { ok: 'Always false: the request failed', error: 'The error' },
  SecurityFault: { message: 'The message, a sentence for people', details: 'The faults of the fields' },
  SecurityFaultDetail: {
    path: 'The path of the field, such as `rlsConfig.rules[0].expression`',
    message: 'The rule that the field breaks, as a phrase about the field',
    code: 'The kind of fault',
  },
  DomainError: {
    errors: 'The faults: one for each field, or one for the request',
    warnings: 'Always empty; errors of semantic domains have no warnings',
  },
  DomainFault: {
    message: 'What is wrong, for people',
    severity: 'Always `error`',
    hint: 'The remedy; empty if there is none',
    context: 'The field that is wrong, if the fault is in one',
  },
  DomainFaultContext: {
    field: 'The path of the field; absent if the fault is in none',
    code: 'The kind of fault; absent if it is in no field',
  },
  MigrationError: {
    success: 'Always false: the request failed',
    errorCode: 'The same as `code`',
    details: 'The faults of the fields, and the records that prevent the operation',
    migration: 'The migration; present with `COMMIT_FAILED`',
    versionControl: 'The result of the commit; present with `COMMIT_FAILED`',
  },
  Problem: {
    type: 'Always `about:blank`: the code identifies the error (RFC 9457)',
    title: 'The name of the status',
    status: 'The HTTP status',
    detail: 'The message, a sentence for people',
    dashboard: 'The dashboard as it was saved; present with `COMMIT_FAILED`',
    versionControl: 'The result of the commit; present with `COMMIT_FAILED`',
    migration: 'The migration; present with `COMMIT_FAILED`',
  },
  FieldError: {
    field: 'The path of the field, such as `shares[1].tenantUserId`',
    message: 'The rule that the field breaks, as a phrase about the field',
    code: 'The kind of fault',
  },
  BlockingRecord: { id: 'The id of the record', title: 'The title or name of the record' },
};
