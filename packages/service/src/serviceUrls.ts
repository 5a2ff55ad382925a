import { SERVICE_NAMES, serviceEntry, type ServiceName } from '@gatehouse/contract';
import { z } from 'zod';

type UrlVariable<S extends ServiceName = ServiceName> = `${Uppercase<S>}_URL`;

/** The environment variable with the address of each service. */
export const SERVICE_URLS = Object.fromEntries(
  SERVICE_NAMES.map((name) => [name, `${name.toUpperCase()}_URL`]),
) as { readonly [S in ServiceName]: UrlVariable<S> };

/** The definitions of these variables. By default each service listens at its port on loopback. */
export function createUrlVariables() {
  const variables = SERVICE_NAMES.map((name) => {
    const url = `ws://127.0.0.1:${serviceEntry(name).port}`;
    return [SERVICE_URLS[name], { schema: z.string().default(url), about: `address of the ${name} service` }];
  });
  return Object.fromEntries(variables) as Record<
    UrlVariable,
    { schema: z.ZodDefault<z.ZodString>; about: string }
  >;
}
