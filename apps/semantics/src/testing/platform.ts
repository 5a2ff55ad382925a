import { readQuotas, type Databases } from '@gatehouse/service';
import { startServicePlatform, type PlatformOptions } from '@gatehouse/testing/platform';
import { createStores } from '../dependencies.js';
import { semanticsService } from '../service.js';
import { PolicyServiceStub } from './policyService.js';

export { newSealingKey } from '@gatehouse/testing/platform';

/** Starts the semantics service. */
export async function startPlatform(
  databases: Databases,
  options: Pick<PlatformOptions, 'sealingKeys' | 'settings'> = {},
) {
  const policy = new PolicyServiceStub();
  const platform = await startServicePlatform(semanticsService, {
    databases,
    ...options,
    linksTo: ({ verifier }) => ({ policy: policy.linkFor(verifier) }),
  });
  return {
    ...platform,
    policy,
    semantics: platform.services.semantics,
    stores: createStores(platform.database, readQuotas(platform.config)),
  };
}
export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>;
