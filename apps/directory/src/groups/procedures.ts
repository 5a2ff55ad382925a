import type { Directory, DirectoryHandlers } from '../directory.js';
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from './manageGroups.js';
import { addGroupMembers, listGroupMembers, removeGroupMember, removeGroupMembers } from './manageMembers.js';

export function createGroupProcedures(directory: Directory): DirectoryHandlers<'groups'> {
  return {
    groups: {
      list: (input, context) => listGroups(directory, input, context),
      create: (input, context) => createGroup(directory, input, context),
      get: (input, context) => getGroup(directory, input, context),
      update: (input, context) => updateGroup(directory, input, context),
      delete: (input, context) => deleteGroup(directory, input, context),
      members: (input, context) => listGroupMembers(directory, input, context),
      addMembers: (input, context) => addGroupMembers(directory, input, context),
      removeMembers: (input, context) => removeGroupMembers(directory, input, context),
      removeMember: (input, context) => removeGroupMember(directory, input, context),
    },
  };
}
