import { runToEnd } from '@gatehouse/testing';
import { fixTemplate as fixInSteps } from '../validation/logic/fix.js';
import { validateTemplate as validateInSteps } from '../validation/logic/template.js';
import { inspectVisual as inspectInSteps } from '../validation/logic/visuals.js';

/** Validates a template synchronously. */
export const validateTemplate = (...args: Parameters<typeof validateInSteps>) =>
  runToEnd(validateInSteps(...args));

/** Fixes a template synchronously. */
export const fixTemplate = (...args: Parameters<typeof fixInSteps>) => runToEnd(fixInSteps(...args));

/** Inspects a saved visual synchronously. */
export const inspectVisual = (...args: Parameters<typeof inspectInSteps>) =>
  runToEnd(inspectInSteps(...args));
