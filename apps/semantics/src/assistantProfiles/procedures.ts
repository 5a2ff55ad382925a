import type { semantics as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import {
  createAssistantProfile,
  deleteAssistantProfile,
  getAssistantProfile,
  listAssistantProfiles,
  updateAssistantProfile,
} from './manageProfiles.js';

export function createAssistantProfileProcedures(
  dependencies: Dependencies,
): Handlers<typeof contract.procedures>['assistantProfiles'] {
  return {
    list: (input, context) => listAssistantProfiles(dependencies, input, context),
    create: (input, context) => createAssistantProfile(dependencies, input, context),
    get: (input, context) => getAssistantProfile(dependencies, input, context),
    update: (input, context) => updateAssistantProfile(dependencies, input, context),
    delete: (input, context) => deleteAssistantProfile(dependencies, input, context),
  };
}
