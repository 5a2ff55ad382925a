import { createRouter } from '@tanstack/react-router';
import { parseUrlState, writeUrlState } from '../data/urlState.js';
import { screens } from '../screens/index.js';
import { navigation, otherAddresses } from './navigation.js';
import { alias, NotFound, rootRoute } from './screen.js';
import { ScreenError } from './ScreenError.js';
import { Opening } from './Opening.js';

const aliases = navigation
  .flatMap(({ items }) => items)
  .flatMap((item) => otherAddresses(item).map((path) => alias(path, item.to)));

/** The screens by the path of the address: the gateway serves the page at every path below its base. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([...screens, ...aliases]),
  basepath: '/console',
  parseSearch: (query) => parseUrlState(query),
  stringifySearch: (state) => writeUrlState(state),
  defaultNotFoundComponent: NotFound,
  // Inside the layout, so that the sidebar stays.
  defaultErrorComponent: ScreenError,
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  defaultPendingComponent: Opening,
});
