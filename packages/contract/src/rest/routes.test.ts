import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ERROR_STATUS } from '../errors.js';
import { services } from '../manifest/index.js';
import { findProcedure } from '../services/index.js';
import type { ServiceContract } from '../services/procedure.js';
import { routes } from './index.js';
import { COMMON_ERRORS, pathParameters } from './route.js';

/** Called only by other services, on behalf of a principal. */
const BETWEEN_SERVICES = [
  'directory.subjects.lookup',
  'directory.subjects.getProject',
  'directory.subjects.getUser',
  'directory.subjects.getUsers',
  'directory.subjects.listNames',
  'directory.subjects.listUsers',
  'access.groups.isCovered',
  'access.groups.isUsed',
  'access.contents.dashboards',
  'access.contents.visuals',
  'access.commitSettings.keep',
  'lifecycle.versionControl.commit',
  'access.copies.source',
  'access.copies.visuals',
  'access.copies.targets',
  'access.copies.uses',
  'semantics.copies.source',
  'semantics.copies.targets',
  'semantics.connections.describe',
  'semantics.connections.names',
  'semantics.facts.load',
  'policy.usage.ofConnection',
  'audit.history.users',
  'audit.history.resources',
];
/** Public, so the gateway calls them in its own name. */
const OPEN = ['directory.tokens.createSignInCode', 'directory.tokens.issue', 'directory.tokens.keys'];

/** Whether a schema declares the field at a path such as `data.definition`. */
function declares(schema: unknown, [name, ...rest]: string[]): boolean {
  if (name === undefined) return true;
  return schema instanceof z.ZodObject && declares(schema.shape[name], rest);
}

const repeated = (values: string[]) => values.filter((value, index) => values.indexOf(value) !== index);

describe('the route table', () => {
  it('names each operation once and each method and path once', () => {
    expect(routes.length).toBeGreaterThan(60);
    expect(repeated(routes.map((route) => route.operationId))).toEqual([]);
    expect(repeated(routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`))).toEqual(
      [],
    );
  });

  it.each(routes.map((route) => [route.operationId, route] as const))('%s fits its procedure', (_, route) => {
    const { input, output, kind, audience } = findProcedure(route.procedure);
    const fields = Object.keys(input.shape);
    expect(fields).toEqual(expect.arrayContaining([...pathParameters(route.path), ...route.query]));
    expect(kind).toBe(route.method === 'GET' ? 'query' : 'mutation');
    const principals = route.tokens === 'projectOrCompiler' ? 'principalOrCompiler' : 'principal';
    expect(audience).toEqual(OPEN.includes(route.procedure) ? ['gateway', 'operator'] : principals);
    expect(route.tokens === 'none').toBe(OPEN.includes(route.procedure));
    const places = [route.record, route.pages?.items, route.pages?.total, ...(route.pages?.sums ?? [])];
    expect(places.filter((place) => place !== undefined && !declares(output, place.split('.')))).toEqual([]);
    expect(route.errors.filter((code) => COMMON_ERRORS.includes(code))).toEqual([]);
    expect(route.errors.every((code) => ERROR_STATUS[code] >= 400)).toBe(true);
  });

  it('reaches every procedure that a principal may call', () => {
    const all = Object.values(services).flatMap((contract: ServiceContract) =>
      Object.entries(contract.procedures).flatMap(([noun, verbs]) =>
        Object.entries(verbs).flatMap(([verb, procedure]) =>
          typeof procedure.audience === 'string' ? [`${contract.name}.${noun}.${verb}`] : [],
        ),
      ),
    );
    const reached: string[] = routes.map((route) => route.procedure);
    expect(all.filter((path) => !reached.includes(path)).toSorted()).toEqual(BETWEEN_SERVICES.toSorted());
  });
});
