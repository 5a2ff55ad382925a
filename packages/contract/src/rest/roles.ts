export interface RouteAccess {
  role: string;
}
