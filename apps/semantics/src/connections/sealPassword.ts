import { invalidField } from '@gatehouse/contract';
import type { SealedField } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { findRedirections, type GivenConfig } from './logic/config.js';
import type { ConnectionDocument } from './store.js';

type Place = Pick<ConnectionDocument, '_id' | 'projectId'>;

/** Binds a sealed password to its connection, so that it opens for no other. */
const sealingContext = ({ _id, projectId }: Place) => `connection password ${projectId} ${_id}`;

export const SEALED_FIELDS: readonly SealedField[] = [
  {
    collection: 'connections',
    path: ['sealedPassword'],
    contextOf: (connection) => sealingContext(connection as Place),
  },
];

/** Seals a password for a connection; null when it is absent or empty. */
export function sealPassword(
  { sealer }: Dependencies,
  place: Place,
  password: string | undefined,
): string | null {
  return password ? sealer.seal(password, sealingContext(place)) : null;
}

/**
 * The password of a connection; undefined when it has none. Throws when its sealing key is no longer
 * configured.
 */
export function openPassword(
  { sealer }: Dependencies,
  connection: Place & Pick<ConnectionDocument, 'sealedPassword'>,
): string | undefined {
  const { sealedPassword } = connection;
  return sealedPassword === null ? undefined : sealer.open(sealedPassword, sealingContext(connection));
}

/**
 * The sealed password of a connection whose configuration is replaced: the given one, or else the current
 * one. Throws INVALID_REQUEST when the current one would be sent elsewhere.
 */
export function nextPassword(
  dependencies: Dependencies,
  current: ConnectionDocument,
  { stored, password }: GivenConfig,
): string | null {
  if (password !== undefined) return sealPassword(dependencies, current, password);
  const fields = current.sealedPassword === null ? [] : findRedirections(current, stored);
  if (fields.length === 0) return current.sealedPassword;
  throw invalidField(
    'config.password',
    `has to be given again because of a new ${fields.join(', ')}`,
    'required',
  );
}
