import { createHashHistory, createRouter } from '@tanstack/react-router';
import { parseUrlState, writeUrlState } from '../data/urlState.js';
import { screens } from '../screens/index.js';
import { rootRoute } from './screen.js';
import { Opening } from './Opening.js';

/**
 * The screens by the fragment of the address: the gateway serves one page, and a server never sees which
 * record is open.
 */
export const router = createRouter({
  routeTree: rootRoute.addChildren([...screens]),
  history: createHashHistory(),
  parseSearch: (query) => parseUrlState(query),
  stringifySearch: (state) => writeUrlState(state),
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  defaultPendingComponent: Opening,
});
