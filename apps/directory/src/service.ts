import { directory as contract } from '@gatehouse/contract';
import { defineService } from '@gatehouse/service';
import { createDeletionConsumer } from './cleanup/consumers.js';
import { openDirectory } from './directory.js';
import { SEALED_RESPONSE_FIELDS } from './idempotency/procedures.js';
import { createGroupSweeps } from './groups/sweeps.js';
import { createIdempotencySweeps } from './idempotency/sweeps.js';
import { OUTBOXES, SHARD_KEYS } from './records/store/indexes.js';
import { createTermSweeps } from './records/sweeps.js';
import { createHandlers } from './router.js';
import { createSessionConsumer } from './sessions/consumers.js';
import { SEALED_SESSION_FIELDS } from './sessions/createSession.js';
import { createSessionSweeps } from './sessions/sweeps.js';
import { SEALED_KEY_FIELDS } from './tokens/rotateSigningKey.js';
import { SEALED_CODE_FIELDS } from './tokens/signInCodes.js';
import { createTokenSweeps } from './tokens/sweeps.js';

/** Limits how long a shutdown waits for refusals to be published. */
const REFUSALS_TIMEOUT_MS = 1000;

/** The directory: organizations, projects, tenants, people, groups and tokens. */
export const directoryService = defineService(
  contract,
  {
    sealedFields: [
      ...SEALED_KEY_FIELDS,
      ...SEALED_CODE_FIELDS,
      ...SEALED_SESSION_FIELDS,
      ...SEALED_RESPONSE_FIELDS,
    ],
    shardKeys: SHARD_KEYS,
  },
  async (runtime) => {
    const directory = await openDirectory(runtime);
    return {
      handlers: createHandlers(directory),
      outboxes: OUTBOXES,
      consumers: [createDeletionConsumer(directory), createSessionConsumer(directory)],
      sweeps: [
        ...createTokenSweeps(directory),
        ...createSessionSweeps(directory),
        ...createIdempotencySweeps(directory),
        ...createGroupSweeps(directory),
        ...createTermSweeps(directory),
      ],
      stop: () => directory.refusals.stop(REFUSALS_TIMEOUT_MS),
    };
  },
);
