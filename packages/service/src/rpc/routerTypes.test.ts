import { directory, type Caller, type RouterOf } from '@gatehouse/contract';
import { createTRPCClient } from '@trpc/client';
import { describe, expect, it } from 'vitest';
import { createActivity } from '../activity.js';
import {
  createInternalTokenSigner,
  createInternalTokenVerifier,
  generateInternalKeys,
} from '../internalToken.js';
import { createLog } from '../log.js';
import { callLinks, inProcessLink } from './client.js';
import { implement, type Handlers } from './router.js';

const { tokens, principals } = directory.procedures;
const contract = {
  name: 'directory',
  procedures: { tokens: { keys: tokens.keys, issue: tokens.issue }, principals },
};
type Procedures = (typeof contract)['procedures'];

const handlers: Handlers<Procedures> = {
  tokens: {
    keys: async () => ({ keys: [] }),
    // @ts-expect-error: the output has no token
    issue: async () => ({ expiresAt: '2026-01-01T00:00:00Z' }),
  },
  principals: { resolve: async () => ({ principal: null }) },
};

/** A client of a router in this process, and the context of its calls. */
async function start() {
  const { signingKey, verifyKey } = await generateInternalKeys();
  const router = implement(contract, handlers, {
    verifier: await createInternalTokenVerifier(verifyKey),
    log: createLog('test', { LOG_LEVEL: 'silent' }),
    validatesOutput: true,
    activity: createActivity(),
  });
  const caller: Caller = { kind: 'system', name: 'gateway' };
  const signer = await createInternalTokenSigner(signingKey);
  const context = { token: await signer.sign(caller), requestId: 'r1' };
  const links = callLinks(
    contract,
    inProcessLink(() => router),
  );
  return { client: createTRPCClient<RouterOf<typeof contract>>({ links }), context };
}

describe('the router type of a contract', () => {
  it('types input and output', async () => {
    const { client, context } = await start();
    const { keys } = await client.tokens.keys.query({}, { context });
    expect(keys satisfies unknown[]).toEqual([]);
    // @ts-expect-error: keys are a list
    expect(keys satisfies string).toEqual([]);
  });

  it('rejects a wrong input, when compiled and when called', async () => {
    const { client, context } = await start();
    // @ts-expect-error: claims are required
    const withoutClaims = client.principals.resolve.query({}, { context });
    await expect(withoutClaims).rejects.toMatchObject({ cause: { code: 'INVALID_REQUEST' } });
    // @ts-expect-error: keys take no fields
    const withField = client.tokens.keys.query({ extra: true }, { context });
    await expect(withField).rejects.toMatchObject({ cause: { fieldErrors: [{ field: 'extra' }] } });
  });

  it('rejects a wrong output, when compiled and when called', async () => {
    const { client, context } = await start();
    const issued = client.tokens.issue.mutate({ projectId: 'p_1', projectSecret: 's' }, { context });
    await expect(issued).rejects.toMatchObject({ cause: { code: 'INTERNAL_ERROR' } });
  });

  it('rejects a wrong procedure name, when compiled and when called', async () => {
    const { client, context } = await start();
    // @ts-expect-error: there is no such verb
    const verb: Promise<unknown> = client.tokens.list.query({}, { context });
    await expect(verb).rejects.toMatchObject({ cause: { code: 'INTERNAL_ERROR' } });
    // @ts-expect-error: there is no such noun
    const noun: Promise<unknown> = client.passwords.list.query({}, { context });
    await expect(noun).rejects.toMatchObject({ cause: { code: 'INTERNAL_ERROR' } });
    // @ts-expect-error: a query is not a mutation
    const kind: Promise<unknown> = client.tokens.keys.mutate({}, { context });
    await expect(kind).rejects.toMatchObject({ cause: { code: 'INTERNAL_ERROR' } });
  });

  it('requires a handler for each procedure', async () => {
    const { tokens: known } = handlers;
    // @ts-expect-error: principals are missing
    const incomplete: Handlers<Procedures> = { tokens: known };
    const options = {
      verifier: await createInternalTokenVerifier((await generateInternalKeys()).verifyKey),
      log: createLog('test', { LOG_LEVEL: 'silent' }),
      validatesOutput: true,
      activity: createActivity(),
    };
    expect(() => implement(contract, incomplete, options)).toThrow(
      'No handler for directory.principals.resolve',
    );
  });

  it('rejects a call without a context', async () => {
    const { client } = await start();
    await expect(client.tokens.keys.query({})).rejects.toMatchObject({ cause: { code: 'UNAUTHENTICATED' } });
  });
});
