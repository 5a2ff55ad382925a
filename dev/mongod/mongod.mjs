// @ts-check
/**
 * A substitute for `mongod` where MongoDB's own is not available: the embedded engine, which is MongoDB's
 * without its server, behind users with passwords (SCRAM-SHA-256) and the roles `root` and `readWrite`, and
 * as a replica set of one member. It has no transactions, no sessions, no TLS, no other role and no other
 * mechanism. Unauthenticated clients may do nothing. It accepts the arguments of mongod that the compose file
 * and the manifests pass.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Server } from './server.mjs';

const { values } = parseArgs({
  options: {
    replSet: { type: 'string' },
    keyFile: { type: 'string' },
    dbpath: { type: 'string', default: '/data/db' },
    port: { type: 'string', default: '27017' },
    bind_ip_all: { type: 'boolean', default: false },
    // These are not arguments of mongod: the unix socket of the engine, and a file with the name and the
    // password of an administrator.
    engineSocket: { type: 'string' },
    firstUser: { type: 'string' },
  },
});
const { engineSocket, firstUser } = values;
if (!engineSocket || !firstUser) throw new Error('--engineSocket and --firstUser are wanted');

const server = await Server.open({
  engineSocket,
  folder: values.dbpath,
  setName: values.replSet,
});
const [name = '', password = ''] = (await readFile(firstUser, 'utf8')).split(/\s+/);
if (!server.users.find('admin', name)) {
  await server.users.create('admin', name, { pwd: password, roles: ['root'] });
}
await server.listen({ host: values.bind_ip_all ? '0.0.0.0' : '127.0.0.1', port: Number(values.port) });
process.stdout.write('Waiting for connections\n');
