import type { Catalog, ClsConfig, RlsConfig, SlsConfig, SqlDialect } from '@gatehouse/contract';
import type { AssignmentFacts, Condition } from '../model.js';

/** A definition to be judged, stored or not. */
export interface LintDefinition {
  /** Null for one that is not saved; nothing is assigned to it. */
  id: string | null;
  name: string;
  clsConfig: ClsConfig | null;
  slsConfig: SlsConfig | null;
  rlsConfig: RlsConfig | null;
  /** What an engine understands of each rule's expression, in the order of the rules. */
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
  /** Null while none was read: nothing is said of tables and columns then. */
  catalog: Catalog | null;
  definitions: readonly LintDefinition[];
  assignments: readonly LintAssignment[];
}
