import type { lifecycle } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { FactSources } from './operations/loadFacts.js';
import { fixOne, validateOne } from './operations/validate.js';
import { validateAll } from './operations/validateAll.js';

/** The handlers of every procedure, over what validation asks the other services for. */
export function createHandlers(sources: FactSources): Handlers<(typeof lifecycle)['procedures']> {
  return {
    validation: {
      validate: (input, context) => validateOne(sources, input, context),
      validateAll: (input, context) => validateAll(sources, input, context),
      fix: (input, context) => fixOne(sources, input, context),
    },
  };
}
