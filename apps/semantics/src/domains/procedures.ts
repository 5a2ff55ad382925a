import type { semantics as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { seesDomain } from '../authorization/logic/domainAccess.js';
import { requireAdmin, requireDomainCreator } from '../authorization/logic/roles.js';
import type { Dependencies } from '../dependencies.js';
import { createWriter } from '../records/writer.js';
import { getTemplate, replaceTemplate } from './editTemplate.js';
import {
  createDomain,
  deleteDomain,
  findUnknown,
  getDomain,
  listDomains,
  toDomain,
  updateDomain,
} from './manageDomains.js';

export function createDomainProcedures(
  dependencies: Dependencies,
): Handlers<typeof contract.procedures>['domains'] {
  return {
    list: (input, context) => listDomains(dependencies, input, context),
    async create(input, context) {
      const writer = createWriter(requireDomainCreator(context.principal), context);
      return { domain: toDomain(await createDomain(dependencies, writer, input)) };
    },
    get: (input, context) => getDomain(dependencies, input, context),
    update: (input, context) => updateDomain(dependencies, input, context),
    async delete({ domainId: id }, context) {
      const admin = requireAdmin(context.principal);
      const writer = createWriter(admin, context, (domain) => seesDomain(admin.semanticDomainAccess, domain));
      const { name } = await deleteDomain(dependencies, writer, id);
      return { message: 'The semantic domain was deleted', deletedDomain: { id, name } };
    },
    getTemplate: (input, context) => getTemplate(dependencies, input, context),
    putTemplate: (input, context) => replaceTemplate(dependencies, input, context),
    findUnknown: (input) => findUnknown(dependencies, input),
  };
}
