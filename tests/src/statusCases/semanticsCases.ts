import { unique } from '../api.js';
import { createAssistantProfile, createConnection, createDatamodel } from '../semanticRecords.js';
import { by, withBody, type Prepare, type Refusal, type Refusals, type World } from './statusCase.js';

const SERVER = { host: 'db.example.com', database: 'sales', user: 'reader' };
const CATALOG = { schemas: [{ name: 'public', tables: [{ name: 'people', columns: [{ name: 'id' }] }] }] };

const connection: Prepare = async ({ admin }) => ({
  session: admin,
  path: { id: (await createConnection(admin)).id },
});
const server: Prepare = async ({ admin }) => {
  const config = { ...SERVER, password: 'secret' };
  const { id } = await createConnection(admin, { type: 'postgres', config, catalog: undefined });
  return { session: admin, path: { id } };
};
const createdConnection: Prepare = ({ admin }) => ({
  session: admin,
  body: { name: unique('Connection'), type: 'mysql', config: { ...SERVER, port: 3307, password: 'secret' } },
});
const updatedConnection = withBody(connection, () => ({ name: unique('Connection'), catalog: CATALOG }));
const introspected = withBody(connection, () => ({ catalog: CATALOG }));

const datamodel: Prepare = async ({ admin }) => {
  const { id: connectionId } = await createConnection(admin);
  return { session: admin, path: { id: (await createDatamodel(admin, connectionId)).id } };
};
const createdDatamodel: Prepare = async ({ admin }) => ({
  session: admin,
  body: { name: unique('Data model'), connectionId: (await createConnection(admin)).id },
});
const updatedDatamodel = withBody(datamodel, () => ({ name: unique('Data model'), description: 'Changed' }));

const profile: Prepare = async ({ admin }) => ({
  session: admin,
  path: { id: (await createAssistantProfile(admin)).id },
});
const createdProfile: Prepare = ({ admin }) => ({ session: admin, body: { name: unique('Profile') } });
const updatedProfile = withBody(profile, () => ({ instructions: unique('Be brief') }));

const list = ({ admin }: World) => ({ session: admin });

export const semanticsSpecimens = {
  listConnections: list,
  createConnection: createdConnection,
  getConnection: connection,
  updateConnection: updatedConnection,
  updateConnectionByPut: updatedConnection,
  deleteConnection: connection,
  introspectConnection: introspected,
  listCatalogChanges: connection,
  listDatamodels: list,
  createDatamodel: createdDatamodel,
  getDatamodel: datamodel,
  updateDatamodel: updatedDatamodel,
  updateDatamodelByPut: updatedDatamodel,
  deleteDatamodel: datamodel,
  listAssistantProfiles: list,
  createAssistantProfile: createdProfile,
  getAssistantProfile: profile,
  updateAssistantProfile: updatedProfile,
  updateAssistantProfileByPut: updatedProfile,
  deleteAssistantProfile: profile,
};

/** Who has to be an org user with AUTHOR or ADMIN is refused as anyone else. */
const toReaders = (prepare: Prepare): Refusal[] => [
  ['FORBIDDEN', 'an org VIEWER', by('orgViewer', prepare)],
  ['FORBIDDEN', 'a tenant user', by('powerUser', prepare)],
  ['FORBIDDEN', 'a caller without a role', by('service', prepare)],
];
const toOthers = (prepare: Prepare): Refusal[] => [
  ['FORBIDDEN', 'an AUTHOR', by('author', prepare)],
  ...toReaders(prepare),
];
const invalid = (because: string, field: string, prepare: Prepare): Refusal => [
  'INVALID_REQUEST',
  because,
  prepare,
  field,
];
const takenName = (prepare: Prepare, create: (world: World) => Promise<{ name: string }>): Refusal => [
  'CONFLICT',
  'another has the name',
  async (world) => {
    const request = await prepare(world);
    return { ...request, body: { ...request.body, name: (await create(world)).name } };
  },
  'name',
];

const anotherConnection = ({ admin }: World) => createConnection(admin);
const anotherDatamodel = async ({ admin }: World) =>
  createDatamodel(admin, (await createConnection(admin)).id);
const anotherProfile = ({ admin }: World) => createAssistantProfile(admin);
const withConfig = (config: Record<string, unknown>) =>
  withBody(createdConnection, () => ({ name: unique('Connection'), type: 'postgres', config }));

const updateConnectionRefusals: Refusal[] = [
  ...toOthers(updatedConnection),
  invalid(
    'a port of no server',
    'config.port',
    withBody(connection, () => ({ config: { dialect: 'mysql', port: 1 } })),
  ),
  invalid(
    'another host without the password',
    'config.password',
    withBody(server, () => ({ config: { ...SERVER, host: 'other.example.com' } })),
  ),
  invalid(
    'a catalog of a server',
    'catalog',
    withBody(server, () => ({ catalog: CATALOG })),
  ),
  takenName(updatedConnection, anotherConnection),
];
const updateDatamodelRefusals: Refusal[] = [
  ...toReaders(updatedDatamodel),
  invalid(
    'no such connection',
    'connectionId',
    withBody(datamodel, () => ({ connectionId: 'c_none' })),
  ),
  takenName(updatedDatamodel, anotherDatamodel),
];
const updateProfileRefusals: Refusal[] = [
  ...toReaders(updatedProfile),
  invalid(
    'a blank name',
    'name',
    withBody(profile, () => ({ name: ' ' })),
  ),
  takenName(updatedProfile, anotherProfile),
];

export const semanticsRefusals: Refusals = {
  listConnections: toReaders(list),
  createConnection: [
    ...toOthers(createdConnection),
    invalid('no such port', 'config.port', withConfig({ ...SERVER, port: 65_536 })),
    invalid('no host', 'config.host', withConfig({ database: 'sales', user: 'reader' })),
    invalid('a file of a server', 'config.file', withConfig({ ...SERVER, file: 'a.db' })),
    invalid(
      'a nameless column',
      'catalog.schemas[0].tables[0].columns[0].name',
      withBody(createdConnection, () => ({
        name: unique('Connection'),
        type: 'static',
        config: { dialect: 'duckdb' },
        catalog: { schemas: [{ name: 'main', tables: [{ name: 'a', columns: [{ name: '' }] }] }] },
      })),
    ),
    takenName(createdConnection, anotherConnection),
  ],
  getConnection: toReaders(connection),
  updateConnection: updateConnectionRefusals,
  updateConnectionByPut: updateConnectionRefusals,
  deleteConnection: [
    ...toOthers(connection),
    [
      'CONFLICT',
      'a data model refers to it',
      async (world) => {
        const request = await connection(world);
        await createDatamodel(world.admin, request.path?.['id'] ?? '');
        return request;
      },
    ],
  ],
  introspectConnection: [
    ...toOthers(introspected),
    invalid(
      'a static one without a catalog',
      'catalog',
      withBody(connection, () => ({})),
    ),
    invalid('a host that the operator does not allow', 'config.host', server),
  ],
  listCatalogChanges: [
    ...toReaders(connection),
    invalid('a version that there is not', 'to', async (world) => ({
      ...(await connection(world)),
      query: { to: '9' },
    })),
  ],
  listDatamodels: toReaders(list),
  createDatamodel: [
    ...toReaders(createdDatamodel),
    invalid(
      'no such connection',
      'connectionId',
      withBody(createdDatamodel, () => ({ name: 'x', connectionId: 'c_none' })),
    ),
    takenName(createdDatamodel, anotherDatamodel),
  ],
  getDatamodel: toReaders(datamodel),
  updateDatamodel: updateDatamodelRefusals,
  updateDatamodelByPut: updateDatamodelRefusals,
  deleteDatamodel: toReaders(datamodel),
  listAssistantProfiles: toReaders(list),
  createAssistantProfile: [
    ...toReaders(createdProfile),
    invalid(
      'too long instructions',
      'instructions',
      withBody(createdProfile, () => ({ name: 'x', instructions: 'x'.repeat(20_001) })),
    ),
    takenName(createdProfile, anotherProfile),
  ],
  getAssistantProfile: toReaders(profile),
  updateAssistantProfile: updateProfileRefusals,
  updateAssistantProfileByPut: updateProfileRefusals,
  deleteAssistantProfile: toReaders(profile),
};
