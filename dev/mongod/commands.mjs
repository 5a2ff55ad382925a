// @ts-check
/** The commands that the substitute handles itself: handshake, authentication, users, the replica set. */
import { CommandError } from './errors.mjs';
import { readUserName, ScramExchange } from './scram.mjs';

const MECHANISM = 'SCRAM-SHA-256';

/**
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./wire.mjs').Request} Request
 * @typedef {Record<string, unknown>} Answer
 */

/** @param {Record<string, any>} body @param {string} db @param {Connection} connection @returns {Answer} */
function startSasl({ mechanism, payload }, db, connection) {
  const clientFirst = payload.toString('utf8');
  const user = connection.server.users.find(db, readUserName(clientFirst));
  if (!user || mechanism !== MECHANISM) throw authenticationFailed();
  const exchange = new ScramExchange(user.credential, clientFirst);
  connection.attempt = { user, exchange };
  return { conversationId: 1, done: false, payload: Buffer.from(exchange.serverFirst), ok: 1 };
}

/** @param {Request} request @param {Connection} connection @returns {Answer} */
function continueSasl({ body }, connection) {
  const { attempt } = connection;
  connection.attempt = undefined;
  if (!attempt) throw authenticationFailed();
  const last = attempt.exchange.finish(body['payload'].toString('utf8'));
  if (last === undefined) throw authenticationFailed();
  connection.signIn(attempt.user);
  // Clients that do not request to skip the empty last exchange are not supported: all current drivers do.
  return { conversationId: 1, done: true, payload: Buffer.from(last), ok: 1 };
}

const authenticationFailed = () => new CommandError(18, 'AuthenticationFailed', 'Authentication failed.');

/** @param {Request} request @param {Connection} connection @returns {Answer} */
function greet({ body }, connection) {
  const { server } = connection;
  const { saslSupportedMechs: asked, speculativeAuthenticate: attempt } = body;
  const [db = '', ...name] = String(asked ?? '').split('.');
  /** @type {Answer} */
  let answer = { ...server.greeting(), connectionId: connection.id };
  if (server.users.find(db, name.join('.'))) answer = { ...answer, saslSupportedMechs: [MECHANISM] };
  try {
    if (attempt) answer['speculativeAuthenticate'] = startSasl(attempt, attempt.db, connection);
  } catch {
    // The client retries with an explicit command, and receives the error then.
  }
  return answer;
}

/** The user of a connection, in a list, as MongoDB shows it. @param {Connection} connection */
const actorsOf = ({ user }) => (user ? [{ user: user.name, db: user.db }] : []);

/** @param {import('./users.mjs').User} user */
const describeUser = ({ name, db, roles }) => ({
  _id: `${db}.${name}`,
  user: name,
  db,
  roles,
  mechanisms: [MECHANISM],
});

/** @type {Record<string, (request: Request, connection: Connection) => Answer | Promise<Answer>>} */
export const OWN_COMMANDS = {
  hello: greet,
  isMaster: greet,
  ismaster: greet,
  ping: () => ({ ok: 1 }),
  endSessions: () => ({ ok: 1 }),
  saslStart: ({ body, db }, connection) => startSasl(body, db, connection),
  saslContinue: continueSasl,
  connectionStatus: (_, connection) => ({
    authInfo: {
      authenticatedUsers: actorsOf(connection),
      authenticatedUserRoles: connection.user?.roles ?? [],
    },
    ok: 1,
  }),
  currentOp: (_, { server }) => ({
    inprog: server.connections().map((connection) => ({
      type: 'op',
      desc: `conn${connection.id}`,
      effectiveUsers: actorsOf(connection),
    })),
    ok: 1,
  }),
  async createUser({ body, db }, { server }) {
    await server.users.create(db, body['createUser'], { pwd: body['pwd'], roles: body['roles'] });
    return { ok: 1 };
  },
  async updateUser({ body, db }, { server }) {
    await server.users.update(db, body['updateUser'], { pwd: body['pwd'], roles: body['roles'] });
    return { ok: 1 };
  },
  async dropUser({ body, db }, { server }) {
    await server.users.drop(db, body['dropUser']);
    return { ok: 1 };
  },
  usersInfo({ body, db }, { server }) {
    const asked = body['usersInfo'];
    const user = server.users.find(asked.db ?? db, asked.user ?? asked);
    return { users: user ? [describeUser(user)] : [], ok: 1 };
  },
  replSetGetStatus(_, { server }) {
    const { member } = server.replicaSet();
    return {
      set: server.setName,
      myState: 1,
      members: [{ _id: 0, name: member, stateStr: 'PRIMARY' }],
      ok: 1,
    };
  },
  async replSetInitiate({ body }, { server }) {
    await server.initiate(body['replSetInitiate']);
    return { ok: 1 };
  },
};

/** Commands that need no authentication. */
export const OPEN_COMMANDS = new Set(
  'hello isMaster ismaster ping buildInfo connectionStatus endSessions saslStart saslContinue'.split(' '),
);

/** Commands that a member of a replica set accepts before the set is initiated. */
export const EARLY_COMMANDS = new Set([...OPEN_COMMANDS, 'replSetGetStatus', 'replSetInitiate', 'currentOp']);
