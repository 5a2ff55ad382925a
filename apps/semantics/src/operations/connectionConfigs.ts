import {
  AppError,
  CONNECTION_CONFIGS,
  fieldPath,
  invalidField,
  type ConnectionConfigInput,
  type ConnectionType,
} from '@gatehouse/contract';
import type { SealedField } from '@gatehouse/service';
import { findRedirections, type StoredConfig } from '../logic/connectionConfig.js';
import type { Semantics } from '../semantics.js';
import type { ConnectionDocument } from '../store/documents.js';

/** A configuration that was checked, with the password that came with it; undefined when none did. */
export interface GivenConfig {
  stored: StoredConfig;
  password?: string | undefined;
}

/** Checks a configuration by the type of its connection. Throws INVALID_REQUEST with each field. */
export function parseConfig(type: ConnectionType, input: ConnectionConfigInput): GivenConfig {
  const parsed = CONNECTION_CONFIGS[type].safeParse(input);
  if (!parsed.success) {
    const message = `does not go with a connection of type ${type}`;
    const fieldErrors = parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ field: fieldPath(['config', key]), message }))
        : [{ field: fieldPath(['config', ...issue.path]), message: issue.message }],
    );
    throw new AppError('INVALID_REQUEST', { fieldErrors });
  }
  const { password, ...config } = parsed.data as typeof parsed.data & { password?: string };
  return { stored: { type, config } as StoredConfig, password };
}

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

/** Seals a password for a connection; null for none, which an empty one stands for. */
export function sealPassword(
  { sealer }: Semantics,
  place: Place,
  password: string | undefined,
): string | null {
  return password ? sealer.seal(password, sealingContext(place)) : null;
}

/** The password of a connection; undefined when it has none. Throws when its key is not configured any more. */
export function openPassword(
  { sealer }: Semantics,
  connection: Place & Pick<ConnectionDocument, 'sealedPassword'>,
): string | undefined {
  const { sealedPassword } = connection;
  return sealedPassword === null ? undefined : sealer.open(sealedPassword, sealingContext(connection));
}

/**
 * The sealed password of a connection whose configuration is replaced: the one that is given, else the one that is there.
 * Throws INVALID_REQUEST when that one would go to somebody else.
 */
export function nextPassword(
  semantics: Semantics,
  current: ConnectionDocument,
  { stored, password }: GivenConfig,
): string | null {
  if (password !== undefined) return sealPassword(semantics, current, password);
  const fields = current.sealedPassword === null ? [] : findRedirections(current, stored);
  if (fields.length === 0) return current.sealedPassword;
  throw invalidField('config.password', `has to be given again because of a new ${fields.join(', ')}`);
}
