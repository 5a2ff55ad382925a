import { demoDashboards, demoVisuals } from './resources.js';
import { demoDataModels, demoDomains } from './semantics.js';
import type { DemoProject } from './shape.js';

/** The first project as data. */
export const demoProduction: DemoProject = {
  domains: demoDomains,
  dataModels: demoDataModels,
  visuals: demoVisuals,
  dashboards: demoDashboards,
};
