import { runToEnd } from '@gatehouse/testing';
import { createCoverageBudget, createPolicyBudget } from '../limits/logic/byteBudget.js';
import { coverTables as coverInSteps, type CoverageRequest } from '../preview/logic/coverTables.js';
import type { ResolutionRequest } from '../preview/logic/facts.js';
import { resolvePolicies as resolveInSteps } from '../preview/logic/resolvePolicies.js';

/** Resolves policies synchronously. */
export const resolvePolicies = (request: ResolutionRequest) =>
  runToEnd(resolveInSteps(request, createPolicyBudget()));

/** Finds the tables that no rule governs, synchronously. */
export const coverTables = (request: CoverageRequest) =>
  runToEnd(coverInSteps(request, createCoverageBudget()));
