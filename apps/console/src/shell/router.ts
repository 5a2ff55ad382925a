import { createRouter } from '@tanstack/react-router';
import { parseUrlState, writeUrlState } from '../data/urlState.js';
import { screens } from '../screens/index.js';
import { NotFound } from './NotFound.js';
import { rootRoute } from './screen.js';
import { Opening } from './Opening.js';

/** The screens by the path of the address: the gateway serves the page at every path below its base. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([...screens]),
  basepath: '/console',
  parseSearch: (query) => parseUrlState(query),
  stringifySearch: (state) => writeUrlState(state),
  defaultNotFoundComponent: NotFound,
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  defaultPendingComponent: Opening,
});
