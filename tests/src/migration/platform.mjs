import { randomBytes } from 'node:crypto';
import { accessService } from '@gatehouse/access';
import { services as contracts } from '@gatehouse/contract';
import { directoryService } from '@gatehouse/directory';
import { defineLifecycleService } from '@gatehouse/lifecycle';
import { semanticsService } from '@gatehouse/semantics';
import {
  callProcedure,
  connectServices,
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  generateInternalKeys,
  inProcessLink,
  joinVerifyKeys,
  newKey,
  readConfig,
} from '@gatehouse/service';

/**
 * Starts the services of a migration in this process, without a gateway: calls use the internal token of the
 * principal in the test. Plain JavaScript, because tests also run it in processes that they kill.
 */
export async function startMigrationPlatform({
  databases,
  settings = {},
  repositoryDir,
  sweepIntervalMs = 3_600_000,
  variables = {},
}) {
  const config = readConfig({
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    VALIDATE_OUTPUT: '1',
    SWEEP_INTERVAL_MS: String(sweepIntervalMs),
    ...(repositoryDir !== undefined && { REPOSITORY_DIR: repositoryDir }),
    ...variables,
  });
  const gatewayKeys = await generateInternalKeys();
  const lifecycleKeys = await generateInternalKeys('lifecycle');
  const signer = await createInternalTokenSigner(gatewayKeys.signingKey, 120_000);
  const verifier = await createInternalTokenVerifier(
    joinVerifyKeys([gatewayKeys.verifyKey, lifecycleKeys.verifyKey]),
  );
  const lifecycleSigner = await createInternalTokenSigner(lifecycleKeys.signingKey, 120_000);
  const sealer = createSealer(randomBytes(32).toString('base64'));
  const log = createLog('test', config);
  const bus = createInProcessBus({ log, onDeadLetter: async () => {} });
  const routers = new Map();
  const links = Object.fromEntries(
    Object.keys(contracts).map((name) => [
      name,
      inProcessLink(() => {
        const service = routers.get(name);
        if (service === undefined) throw new Error(`There is no ${name} service here`);
        return service.router;
      }),
    ]),
  );
  const definitions = [directoryService, accessService, semanticsService, defineLifecycleService(settings)];
  for (const definition of definitions) {
    const { name } = definition;
    const started = await definition.start({
      config,
      log,
      database: databases.of(name),
      bus,
      services: connectServices(links),
      sealer,
      verifier,
      signer: name === 'lifecycle' ? lifecycleSigner : undefined,
    });
    routers.set(name, started);
  }
  return {
    bus,
    /** Calls a procedure as a principal, or as a part of the platform. */
    async call(path, caller, input, operationKey) {
      const signs = caller.name === 'lifecycle' ? lifecycleSigner : signer;
      const origin = { token: await signs.sign(caller), requestId: `test-${newKey()}`, operationKey };
      return callProcedure(connectServices(links), path, { origin, input });
    },
    async [Symbol.asyncDispose]() {
      for (const service of [...routers.values()].toReversed()) await service.stop();
      await bus.close();
    },
  };
}
