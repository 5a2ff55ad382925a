import { CODE_ALIASES, ERROR_CATALOGUE } from '../../errorCatalogue.js';
import type { EnumTexts } from './texts.js';

const batchEnums: EnumTexts = {
  BatchMode: {
    about: 'Whether one operation that fails undoes the others.',
    values: {
      atomic: 'All operations or none, with one error for all; deletions run last',
      each: 'Every operation for itself, in order, with a result for each',
    },
  },
  BatchOp: {
    about: 'What an operation does.',
    values: {
      create: 'Creates a record',
      update: 'Changes the fields of a record that are given',
      delete: 'Deletes a record',
    },
  },
};

const policyEnums: EnumTexts = {
  AssignmentScope: {
    about: 'The kind of actor that a policy assignment applies to.',
    values: {
      ALL_TENANTS: 'Every tenant and its users',
      TENANT: 'One tenant and its users',
      TENANT_USER: 'One tenant user',
      ORG_USER: 'One org user, whom no other scope reaches',
    },
  },
  LintCode: {
    about: 'The kind of likely mistake in a policy.',
    values: {
      ALWAYS_TRUE: 'The rule excludes no row',
      ALWAYS_FALSE: 'The rule excludes every row',
      CONTRADICTION: 'Two rules exclude every row together',
      MATCHES_NO_TABLE: 'The rule governs no table of the catalog',
      UNKNOWN_COLUMN: 'The expression names a column that a governed table lacks',
      INEXACT_COMPARISON: 'The server compares the values inexactly',
      UNFILLED_PLACEHOLDER: 'Nothing gives the placeholder a value',
      SHADOWED_ASSIGNMENT: 'Another assignment is always effective in its place',
      DEFAULT_SCHEMA_NOT_ALLOWED: 'The schema of unqualified tables may not be read',
    },
  },
  PolicySource: {
    about: 'Where a rule, a config or a value comes from.',
    values: {
      persisted: 'A stored definition or assignment',
      draft: 'A draft in the request',
      token: 'The policies of a token',
    },
  },
  ValueSource: {
    about: 'Where the value of a placeholder comes from. Later sources override earlier ones.',
    values: {
      definition: 'The `params` of the config in the definition',
      rule: 'The `params` of the rule',
      assignment: 'The `params` of the assignment',
      token: 'The `securityParams` of the token',
      runtime: 'The `runtimeParams` of the request',
      actor: 'A built-in value of the actor, which nothing overrides',
    },
  },
  CompiledStatus: {
    about: 'The result of restricting a statement.',
    values: {
      not_requested: 'The request has neither a statement nor tables',
      compiled: 'The statement is restricted: run `sql` with `parameters`',
      conditions_only: 'Only conditions: tables were given, or the dialect has no proven rewriter',
      denied: 'The policy fails closed; `reasons` explains why',
      invalid_sql: 'The statement is not valid in the dialect',
    },
  },
  UncompiledStatus: {
    about: 'Why there is no restricted statement.',
    values: {
      not_requested: 'The request has neither a statement nor tables',
      conditions_only: 'Only conditions: tables were given, or the dialect has no proven rewriter',
      denied: 'The policy fails closed; `reasons` explains why',
      invalid_sql: 'The statement is not valid in the dialect',
    },
  },
  TraceEntrySubject: {
    about: 'What a step of a resolution is about.',
    values: {
      assignment: 'An assignment',
      cls: 'Connection-level security',
      sls: 'Schema-level security',
      rule: 'A row-level rule',
      value: 'The value of a placeholder',
      table: 'A table of the statement',
    },
  },
  TraceEntryOutcome: {
    about: 'The result of a step of a resolution.',
    values: {
      applies: 'It applies to the actor',
      skipped: 'It does not apply to the actor',
      wins: 'It is effective',
      loses: 'A more specific one is effective in its place',
      conflict: 'Two of the same rank differ, so nothing may be read',
      filled: 'The placeholder has a value',
      missing: 'The placeholder has no value',
      merged: 'It is combined with others',
      governed: 'At least one rule governs the table',
      free: 'No rule governs the table',
    },
  },
  TableDifferenceChange: {
    about: 'How the condition of a table differs between two previews.',
    values: {
      added: 'Only the second preview has one',
      removed: 'Only the first preview has one',
      changed: 'Both have one, and they differ',
    },
  },
};

const lifecycleEnums: EnumTexts = {
  ValidationCode: {
    about: 'The kind of issue in a dashboard.',
    values: {
      TEMPLATE_MISSING: 'The dashboard has no template',
      CONNECTION_NOT_FOUND: 'The connection does not exist, or a card with columns has no data source',
      CATALOG_UNAVAILABLE: 'The catalog was never read, or the caller may not read it; a warning',
      ENTITY_NOT_FOUND: 'The table or dataset does not exist, or the card does not select it',
      FIELD_NOT_FOUND: 'The column does not exist',
      FILTER_FIELD_NOT_FOUND: 'The column of a filter does not exist',
      JOIN_KEY_NOT_FOUND: 'The column of a join does not exist',
      DOMAIN_NOT_FOUND: 'The semantic domain does not exist',
      DATAMODEL_NOT_FOUND: 'The data model does not exist',
      VISUAL_NOT_FOUND: 'The linked visual does not exist',
      VISUAL_INVALID: 'The linked visual is invalid, or links an invalid one',
      ASSISTANT_PROFILE_NOT_FOUND: 'The assistant profile does not exist',
      AI_CONTEXT_INVALID: 'An entity of the assistant is in none of the data sources',
      TEMPLATE_MALFORMED: 'A part does not have the type that it must have to be understood',
    },
  },
  ValidationIssueSeverity: {
    about: 'The weight of an issue.',
    values: {
      error: 'The dashboard is invalid',
      warning: 'The dashboard may still be valid, but not everything was checked',
    },
  },
  ValidationFilterType: {
    about: 'The owners of the dashboards to validate.',
    values: {
      organization: 'Dashboards of org users',
      tenant: 'Dashboards of users of one tenant, named by `tenantId`',
      all: 'All dashboards',
      'all-tenants': 'Dashboards of users of any tenant',
    },
  },
  TemplateFixReason: {
    about: 'Why a rename is certain.',
    values: {
      catalogRename: 'The catalog shows that it was renamed',
      oneCandidate: 'It is the only name that differs by one edit',
    },
  },
  MigrationStatus: {
    about: 'The state of a migration.',
    values: {
      planned: 'The plan is stored, and no step has run',
      running: 'The steps are running',
      completed: 'All steps are done',
      failed: 'It could not be carried out, and what it had created was undone',
      rolling_back: 'It is being undone',
      rolled_back: 'A caller requested the rollback, and it is done',
    },
  },
  MigrationAction: {
    about: 'What a step of a migration does.',
    values: {
      verify: 'Compares the records with the plan',
      createDomain: 'Copies a semantic domain',
      createDatamodel: 'Copies a data model',
      createVisual: 'Copies a visual',
      createDashboard: 'Creates the dashboard',
      replaceDashboard: 'Replaces the dashboard',
      commit: 'Commits the dashboard',
    },
  },
  StepState: {
    about: 'The state of a step of a migration.',
    values: {
      pending: 'It has not run',
      done: 'It has run',
      undone: 'It was undone',
      kept: 'It was not undone, because the created record was changed or used in the meantime',
    },
  },
  CandidateReason: {
    about: 'Why a record of the target project fits.',
    values: { sameName: 'It has the same name', sameDialect: 'It is the only one with the same dialect' },
  },
  CommitOnSave: {
    about: 'Whether saving a dashboard commits it.',
    values: {
      off: 'Never',
      optional: 'If the request has a commit message',
      required: 'Always, so that a commit message is required',
    },
  },
  CommitStatus: {
    about: 'The result of a commit.',
    values: {
      committed: 'It was committed',
      unchanged: 'The repository has this content already',
      failed: 'It was not committed',
      not_configured: 'The project has no repository, or saving does not commit',
    },
  },
  VersionControlLastPushStatus: {
    about: 'The result of a push.',
    values: { pushed: 'The remote has the commits', failed: 'The remote does not have the commits' },
  },
};

const causes = Object.fromEntries(Object.entries(ERROR_CATALOGUE).map(([code, { cause }]) => [code, cause]));
const aliases = Object.fromEntries(
  Object.entries(CODE_ALIASES).map(([alias, { code, area }]) => [
    alias,
    `The same as \`${code}\`, in the area of ${area}.`,
  ]),
);
const errorEnums: EnumTexts = {
  ErrorCode: { about: 'The code of an error.', values: causes },
  ProblemCode: {
    about: 'The code of an error, as the area of the operation names it.',
    values: { ...causes, ...aliases },
  },
  MigrationErrorCode: { about: 'The code of an error.', values: { ...causes, ...aliases } },
  FieldErrorCode: {
    about: 'The kind of fault in a field.',
    values: {
      required: 'It is missing',
      type: 'It has another JSON type',
      enum: 'It is not one of the allowed values',
      range: 'A number or time is outside its bounds',
      length: 'A text, array or object is too short or too long',
      format: 'A text does not have its form',
      unknown: 'It is no field of the operation, or not in this part of the request',
      duplicate: 'It is given twice, or used by another record',
      reference: 'It names no record that can be used here',
      conflict: 'It does not go with another field',
      invalid: 'It breaks another rule; see the message',
    },
  },
};

export const workEnums: EnumTexts = { ...batchEnums, ...policyEnums, ...lifecycleEnums, ...errorEnums };
