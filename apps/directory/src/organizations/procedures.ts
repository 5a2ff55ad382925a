import type { Directory, DirectoryHandlers } from '../directory.js';
import { bootstrapOrganization } from './bootstrapOrganization.js';

export function createOrganizationProcedures(directory: Directory): DirectoryHandlers<'organizations'> {
  return {
    organizations: { bootstrap: (input, context) => bootstrapOrganization(directory, input, context) },
  };
}
