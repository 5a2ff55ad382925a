import type { policy as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { lintProjectPolicies } from '../lint/collectWarnings.js';
import type { Dependencies } from '../dependencies.js';
import { coverPolicies } from './coverPolicies.js';
import { diffPolicyPreviews, previewPolicies } from './makePreview.js';

export function createPreviewProcedures(
  deps: Dependencies,
): Pick<Handlers<typeof contract.procedures>, 'previews'> {
  return {
    previews: {
      preview: (input, context) => previewPolicies(deps, input, context),
      diff: (input, context) => diffPolicyPreviews(deps, input, context),
      lint: (input, context) => lintProjectPolicies(deps, input, context),
      coverage: (input, context) => coverPolicies(deps, input, context),
    },
  };
}
