import {
  connectNatsBus,
  createInternalTokenSigner,
  createLog,
  networkLinks,
  observeProcess,
  requireSetting,
  runProcess,
} from '@gatehouse/service';
import { createGateway } from './server.js';

await runProcess(async (config) => {
  const log = createLog('gateway', config);
  const observation = await observeProcess(config, { name: 'gateway', log });
  const signingKey = requireSetting(config, 'INTERNAL_SIGNING_KEY');
  const signer = await createInternalTokenSigner(signingKey, config.REQUEST_TIMEOUT_MS);
  const bus = await connectNatsBus({ url: requireSetting(config, 'NATS_URL'), name: 'gateway', log });
  const links = networkLinks(config);
  const gateway = await createGateway({ config, log, links, bus, signer });
  await gateway.listen();
  return {
    async stop() {
      await gateway.stop();
      await Promise.all(Object.values(links).map((link) => link.close()));
      await bus.close();
      await observation.stop();
      log.info('stopped');
    },
  };
});
