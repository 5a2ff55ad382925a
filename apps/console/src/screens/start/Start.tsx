import { Navigate } from '@tanstack/react-router';

/** The start is the list of dashboards. */
export function Screen() {
  return <Navigate to="/dashboards" replace />;
}
