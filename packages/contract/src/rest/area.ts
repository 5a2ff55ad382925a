/** The areas of the API, which differ in the form of their error bodies. */
export type RouteArea =
  | 'management'
  | 'tenantUsers'
  | 'token'
  | 'service'
  | 'domains'
  | 'security'
  | 'validation'
  | 'migration';
