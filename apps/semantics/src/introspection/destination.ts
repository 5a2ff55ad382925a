import {
  DestinationError,
  findDestination as findAllowed,
  type Destination,
  type ResolveName,
} from '@gatehouse/service';
import { IntrospectionError } from './outcome.js';

/**
 * The addresses of a database server that may be reached.
 *
 * @throws IntrospectionError `notAllowed`, or `unreachable` when an allowed name does not resolve
 */
export async function findDestination(
  server: { host: string; port: number },
  allowedHosts: string,
  resolve: ResolveName,
): Promise<Destination> {
  try {
    return await findAllowed(server, { setting: 'CONNECTION_HOSTS', value: allowedHosts }, resolve);
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    throw new IntrospectionError(error.reason, error.message, error.cause);
  }
}
