import { policyScreens } from './policies/routes.js';
import { resourceScreens } from './resources/routes.js';
import { startScreens } from './start/routes.js';

/** All screens. A feature adds its folder here and its pages to `shell/navigation.ts`. */
export const screens = [...startScreens, ...resourceScreens, ...policyScreens];
