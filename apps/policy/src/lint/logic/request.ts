import type { ClsConfig, RlsConfig, SlsConfig, SqlDialect } from '@gatehouse/contract';
import type { AssignmentFacts } from '../../preview/logic/facts.js';
import type { CatalogIndex } from '../../sql/logic/catalogIndex.js';
import type { Condition } from '../../sql/logic/restriction.js';

/** A definition to lint, stored or not. */
export interface LintDefinition {
  /** Null if it is not stored. Then it has no assignments. */
  id: string | null;
  name: string;
  clsConfig: ClsConfig | null;
  slsConfig: SlsConfig | null;
  rlsConfig: RlsConfig | null;
  /** The parsed condition of each rule, in the order of the rules. */
  conditions: readonly (Condition | null)[];
}

/** An assignment of one of the definitions. */
export type LintAssignment = Pick<AssignmentFacts, 'scopeType' | 'actorKey' | 'params'> & {
  id: string;
  definitionId: string;
};

/** The policies of one connection. */
export interface LintRequest {
  dialect: SqlDialect;
  /** Null until the catalog has been read. Tables and columns are not checked then. */
  index: CatalogIndex | null;
  definitions: readonly LintDefinition[];
  assignments: readonly LintAssignment[];
  /** Whether no assignment of the definitions is missing: a connection may have more than are read. */
  hasAllAssignments: boolean;
}
