import { z } from 'zod';
import { text } from '../../vocabulary.js';
import { mutation, systemOnly } from '../procedure.js';

/** The first responses to requests with an idempotency key, kept for 24 hours. */
export const idempotency = {
  /**
   * The result of a claim:
   * - `claimed`: the caller runs the operation and then completes or releases the claim. `operationKey` is
   *   sent with the call: it is the same for each run of the same request, so that a second run finds the
   *   records of the first.
   * - `running`: another caller runs the operation; retry later.
   * - `answered`: it was completed, for a caller with this very identity and these rights.
   * - `changed`: it was completed for the same identity with other rights. The current decision applies, and
   *   the stored response must not be returned.
   * - `mismatch`: the key belongs to another request.
   */
  claim: systemOnly(
    mutation(
      z.strictObject({
        scope: text(1, 500),
        key: text(1, 255),
        requestHash: text(1, 128),
        /**
         * Everything about the caller that the response may depend on: role, groups and the token's
         * restrictions. A gateway of the previous release omits it.
         */
        callerHash: text(1, 128).optional(),
        /**
         * The organization of the caller, for which the key counts. A token request has none: the limit of
         * tokens applies. A gateway of the previous release omits it.
         */
        holder: text(1, 128).optional(),
        /** The tenant of the caller, whose users may use only a part. */
        tenantId: text(1, 128).optional(),
      }),
      z.discriminatedUnion('state', [
        z.object({ state: z.literal('claimed'), claimId: z.string(), operationKey: z.string() }),
        z.object({ state: z.literal('running') }),
        z.object({ state: z.literal('mismatch') }),
        z.object({
          state: z.literal('answered'),
          status: z.number().int(),
          body: z.string(),
          operationKey: z.string(),
        }),
        z.object({ state: z.literal('changed'), operationKey: z.string() }),
      ]),
    ),
  ),
  /**
   * Stores the response of a claim. If the holder has too many stored responses, the claim is released as one
   * whose operation was carried out.
   */
  complete: systemOnly(
    mutation(
      z.strictObject({
        claimId: z.string(),
        status: z.number().int(),
        body: z.string(),
        /**
         * The response counts for the organization of the caller or, of a token request, for the project or
         * dashboard that it names. A gateway of the previous release omits it.
         */
        holder: text(1, 128).optional(),
        /** The tenant of the caller, whose users may use only a part. */
        tenantId: text(1, 128).optional(),
      }),
      z.object({ isStored: z.boolean() }),
    ),
  ),
  /** Releases the key. If the operation may have been carried out, its operation key is kept. */
  release: systemOnly(
    mutation(
      z.strictObject({ claimId: z.string(), mayBeDone: z.boolean() }),
      z.object({ isReleased: z.boolean() }),
    ),
  ),
};
