import { hashSecret, newId, newKey } from '@gatehouse/service';
import type { Credentials } from '@gatehouse/standalone';
import type { TestMongo } from '@gatehouse/testing';

/** Writes a second organization into a platform's database: a copy of the first one's project and ADMIN. */
export async function addOrganization(mongo: TestMongo, first: Credentials): Promise<Credentials> {
  const projectSecret = newKey();
  const second = {
    ...first,
    organizationId: newId('organization'),
    projectId: newId('project'),
    adminOrgUserId: newId('orgUser'),
    projectSecret,
  };
  const database = mongo.databases.of('directory');
  const find = async (collection: string, filter: Record<string, unknown>) => {
    const found = await database.collection(collection).findOne(filter);
    if (!found) throw new Error(`The first organization has no record in ${collection}`);
    return found;
  };
  const { organizationId, projectId, adminOrgUserId: id } = first;
  const named = { organizationId: second.organizationId };
  const organization = await find('organizations', { _id: organizationId });
  const project = await find('projects', { _id: projectId });
  const admin = await find('orgUsers', { organizationId, id });
  const insert = (collection: string, document: Record<string, unknown>) =>
    database.collection<{ _id: string }>(collection).insertOne({ _id: newKey(), ...document });
  await insert('organizations', { ...organization, _id: second.organizationId, outbox: [] });
  const secretHash = hashSecret(projectSecret);
  await insert('projects', { ...project, ...named, _id: second.projectId, secretHash, outbox: [] });
  await insert('orgUsers', {
    ...admin,
    ...named,
    _id: `u:${newKey()}`,
    id: second.adminOrgUserId,
    outbox: [],
  });
  return second;
}
