import type { lifecycle } from '@gatehouse/contract';
import type { AreaParts, ServiceRuntime } from '@gatehouse/service';
import { createCatalogCache } from './operations/catalogCache.js';
import type { FactSources } from './operations/loadFacts.js';
import { fixOne, validateOne } from './operations/validate.js';
import { validateAll } from './operations/validateAll.js';

/** The validation of dashboards. It keeps nothing of its own but catalogs that it has read before. */
export function createValidation({
  services,
}: Pick<ServiceRuntime<'access' | 'semantics'>, 'services'>): AreaParts<
  (typeof lifecycle)['procedures']['validation']
> {
  const { access, semantics } = services;
  const sources: FactSources = { access, semantics, catalogs: createCatalogCache() };
  return {
    handlers: {
      validate: (input, context) => validateOne(sources, input, context),
      validateAll: (input, context) => validateAll(sources, input, context),
      fix: (input, context) => fixOne(sources, input, context),
    },
  };
}
