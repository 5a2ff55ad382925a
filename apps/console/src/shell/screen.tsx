import type { UserRole } from '@gatehouse/contract';
import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { UrlState } from '../data/urlState.js';
import { useHasRole } from '../session/SessionContext.js';
import { SessionGate } from '../session/SessionGate.js';
import { Layout } from './Layout.js';
import { loadCode } from './loadCode.js';
import { ScreenError } from './ScreenError.js';

/** An address without a screen. */
export const NotFound = lazyRouteComponent(() => loadCode(() => import('./NotFound.js')), 'NotFound');

/** The root of all screens: the session, then the sidebar. The project stays in the address. */
export const rootRoute = createRootRoute({
  validateSearch: (search: Record<string, unknown>) => search as UrlState,
  search: {
    middlewares: [
      ({ search, next }) => {
        const result = next(search);
        const project = result['project'] ?? search['project'];
        return project === undefined ? result : { ...result, project };
      },
    ],
  },
  component: () => (
    <SessionGate>
      <Layout>
        <Outlet />
      </Layout>
    </SessionGate>
  ),
  notFoundComponent: NotFound,
  errorComponent: ScreenError,
});

/** A screen at a path such as `/dashboards/$id`, whose code is loaded when it is first opened. */
export function screen(path: string, load: () => Promise<{ Screen: ComponentType }>) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: lazyRouteComponent(() => loadCode(load), 'Screen'),
  });
}

/** A screen of which those without the role read that they need it. */
export function restricted(path: string, role: UserRole, load: () => Promise<{ Screen: ComponentType }>) {
  return screen(path, async () => {
    // With the screen, so that the first load does not contain it.
    const [{ Screen }, { RoleNeeded }] = await Promise.all([load(), import('./RoleNeeded.js')]);
    const Restricted = () => (useHasRole(role) ? <Screen /> : <RoleNeeded role={role} />);
    return { Screen: Restricted };
  });
}

/** Another address of a screen, which leads to it with the same query. */
export function alias(path: string, to: string) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad: () => redirect({ to, search: true, replace: true, throw: true } as never),
  });
}
