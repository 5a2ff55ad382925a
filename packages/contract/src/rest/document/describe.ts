import type { JsonSchema, OpenApiDocument } from '../openapiDocument.js';
import type { Route, RouteTokens } from '../route.js';

const TOKENS_ACCEPTED: Record<RouteTokens, string> = {
  none: 'Takes no access token.',
  project: 'Takes a project token.',
  projectOrOwnDashboard: 'Takes a project token, or the token of the dashboard that the path names.',
  any: 'Takes a project or a dashboard token.',
};

export function describeOperation({ tokens }: Route): string {
  return TOKENS_ACCEPTED[tokens];
}
export function describeComponents(components: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return components;
}
export function describeTags(table: readonly Route[]): OpenApiDocument['tags'] {
  return [...new Set(table.map(({ tag }) => tag))].map((name) => ({ name }));
}
