import { createConnection, createDomain, uniqueDomainName } from '../semanticRecords.js';
import { by, withBody, type Prepare, type Refusal, type Refusals, type World } from './statusCase.js';

const domain: Prepare = async ({ admin }) => ({
  session: admin,
  path: { domainId: (await createDomain(admin)).id },
});
const list = ({ admin }: World) => ({ session: admin });
const create: Prepare = ({ admin }) => ({
  session: admin,
  body: { name: uniqueDomainName(), label: 'Made' },
});
const update = withBody(domain, () => ({ description: 'Changed', name: uniqueDomainName() }));
const putTemplate = withBody(domain, async ({ admin }) => ({
  datasets: [{ name: 'orders', connectionId: (await createConnection(admin)).id, table: 'orders' }],
}));

/** The same operations under both base paths. */
const operations = { list, create, get: domain, update, delete: domain, getTemplate: domain, putTemplate };

export const domainSpecimens = {
  listDomains: operations.list,
  createDomain: operations.create,
  getDomain: operations.get,
  updateDomain: operations.update,
  updateDomainByPut: operations.update,
  deleteDomain: operations.delete,
  getDomainTemplate: operations.getTemplate,
  putDomainTemplate: operations.putTemplate,
  listManagedDomains: operations.list,
  createManagedDomain: operations.create,
  getManagedDomain: operations.get,
  updateManagedDomain: operations.update,
  updateManagedDomainByPut: operations.update,
  deleteManagedDomain: operations.delete,
  getManagedDomainTemplate: operations.getTemplate,
  putManagedDomainTemplate: operations.putTemplate,
};

/** The same request by an ADMIN whose token sees no domain. */
const blindly =
  (prepare: Prepare): Prepare =>
  async (world) => {
    const access = { semanticDomainAccess: { mode: 'none' as const } };
    const session = await world.api.openSession({ orgUserId: world.adminId, ...access });
    return { ...(await prepare(world)), session };
  };
const hidden = (prepare: Prepare): Refusal => [
  'NOT_FOUND',
  'a domain that the token may not see',
  blindly(prepare),
];
const toOthers = (prepare: Prepare): Refusal[] => [
  ['FORBIDDEN', 'an AUTHOR', by('author', prepare)],
  ['FORBIDDEN', 'a tenant user', by('powerUser', prepare)],
  ['FORBIDDEN', 'a caller without a role', by('service', prepare)],
];
const takenName: Refusal = [
  'CONFLICT',
  'another domain has the name',
  withBody(domain, async ({ admin }) => ({ name: (await createDomain(admin)).name })),
  'name',
];

const createRefusals: Refusal[] = [
  ...toOthers(create),
  ['FORBIDDEN', 'a token that does not see every domain', blindly(create)],
  ['INVALID_REQUEST', 'a name in capitals', withBody(create, () => ({ name: 'Sales' })), 'name'],
  [
    'INVALID_REQUEST',
    'an empty label',
    withBody(create, () => ({ name: uniqueDomainName(), label: '' })),
    'label',
  ],
  [
    'CONFLICT',
    'another domain has the name',
    withBody(create, async ({ admin }) => ({ name: (await createDomain(admin)).name })),
    'name',
  ],
];
const updateRefusals: Refusal[] = [
  ...toOthers(update),
  hidden(update),
  ['INVALID_REQUEST', 'nothing', withBody(domain, () => ({})), 'body'],
  takenName,
];
const deleteRefusals: Refusal[] = [...toOthers(domain), hidden(domain)];
const putTemplateRefusals: Refusal[] = [
  ...toOthers(putTemplate),
  hidden(putTemplate),
  [
    'INVALID_REQUEST',
    'a connection that does not exist',
    withBody(domain, () => ({ datasets: [{ name: 'a', table: 'a', connectionId: 'c_none' }] })),
    'datasets[0].connectionId',
  ],
  [
    'INVALID_REQUEST',
    'a field of a dataset that is not there',
    withBody(domain, () => ({ calculatedFields: [{ dataset: 'a', name: 'b', expression: '1' }] })),
    'calculatedFields[0].dataset',
  ],
];

export const domainRefusals: Refusals = {
  createDomain: createRefusals,
  getDomain: [hidden(domain)],
  updateDomain: updateRefusals,
  updateDomainByPut: updateRefusals,
  deleteDomain: deleteRefusals,
  getDomainTemplate: [hidden(domain)],
  putDomainTemplate: putTemplateRefusals,
  createManagedDomain: createRefusals,
  getManagedDomain: [hidden(domain)],
  updateManagedDomain: updateRefusals,
  updateManagedDomainByPut: updateRefusals,
  deleteManagedDomain: deleteRefusals,
  getManagedDomainTemplate: [hidden(domain)],
  putManagedDomainTemplate: putTemplateRefusals,
};
