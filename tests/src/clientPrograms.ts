import {
  createClient,
  GatehouseError,
  NoAnswerError,
  type Answer,
  type Client,
  type ClientOptions,
  type IssuedToken,
} from '@gatehouse/client';
import { methodOf } from './clientCalls.js';

/** Whom a client calls, and as whom: plain data, because it may be handed to a page of a browser. */
export interface Connection extends Pick<ClientOptions, 'baseUrl' | 'credentials' | 'retry' | 'timeoutMs'> {
  accessToken?: string;
  /** Where tokens are fetched: a page's own server, which has the secret that a page must not have. */
  tokenUrl?: string;
}

/** A call by its name. */
export interface NamedCall {
  operationId: string;
  input: Record<string, unknown>;
}

/** What was thrown: its own fields, and which of the client's errors it is, if it is one of them. */
export interface Thrown extends Record<string, unknown> {
  type: 'GatehouseError' | 'NoAnswerError' | null;
  message: string;
  /** The error behind it. */
  cause: string | null;
}

/** What came of a program: plain data as well. */
export type Outcome<T> = { value: T } | { thrown: Thrown };

function connect({ tokenUrl, ...options }: Connection, fetch?: ClientOptions['fetch']): Client {
  if (tokenUrl === undefined) return createClient({ ...options, fetch });
  const fetchToken = async () =>
    (await (await globalThis.fetch(tokenUrl, { method: 'POST' })).json()) as IssuedToken;
  return createClient({ ...options, accessToken: fetchToken, fetch });
}

function typeOf(error: Error): Thrown['type'] {
  if (error instanceof GatehouseError) return 'GatehouseError';
  return error instanceof NoAnswerError ? 'NoAnswerError' : null;
}

function describeThrown(error: unknown): Thrown {
  if (!(error instanceof Error)) return { type: null, message: String(error), cause: null };
  const fields = Object.fromEntries(Object.entries(error));
  const cause = error.cause instanceof Error ? String(error.cause) : null;
  return { ...fields, cause, type: typeOf(error), message: error.message };
}

/** What the tests do with the client, in Node and in browsers alike. */
const programs = {
  async call(connection: Connection, call: NamedCall) {
    return methodOf<Promise<Answer<unknown>>>(connect(connection).withResponse, call)(call.input);
  },

  async readLines(connection: Connection, call: NamedCall) {
    const lines: Record<string, unknown>[] = [];
    const { stream } = connect(connection);
    for await (const line of methodOf<AsyncIterable<Record<string, unknown>>>(stream, call)(call.input))
      lines.push(line);
    return lines;
  },

  async readIds(connection: Connection, call: NamedCall) {
    const ids: string[] = [];
    const { items } = connect(connection);
    for await (const { id } of methodOf<AsyncIterable<{ id: string }>>(items, call)(call.input)) ids.push(id);
    return ids;
  },

  /** Reads the first line of a stream and leaves it; then the same client makes another call. */
  async leaveStream(connection: Connection) {
    const client = connect(connection);
    const types: string[] = [];
    for await (const { type } of client.stream.validateAllDashboards()) {
      types.push(type);
      break;
    }
    return { types, projects: (await client.listProjects()).projects };
  },

  async revokeTokenAndGoOn(connection: Connection) {
    const client = connect(connection);
    await client.invalidateToken();
    return (await client.listProjects()).projects;
  },

  async callTwice(connection: Connection, pauseMs: number) {
    const client = connect(connection);
    await client.listProjects();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return (await client.listProjects()).projects;
  },

  /** Changes a dashboard twice with one entity tag. */
  async changeTwiceAsRead(connection: Connection) {
    const client = connect(connection);
    const { id } = (await client.createDashboard({ title: 'Sales' })).dashboard;
    const { etag } = await client.withResponse.getDashboard({ id });
    if (etag === null) throw new Error('There is no entity tag');
    await client.updateDashboard({ id, title: 'Revenue' }, { ifMatch: etag });
    const late = await client
      .updateDashboard({ id, title: 'Income' }, { ifMatch: etag })
      .catch(describeThrown);
    return { late, title: (await client.getDashboard({ id })).dashboard.title };
  },

  /** Makes a dashboard, whose first answer is thrown away. */
  async createDespiteLostAnswer(connection: Connection, title: string) {
    let isLost = false;
    const client = connect(connection, async (...request) => {
      const response = await fetch(...request);
      if (isLost) return response;
      isLost = true;
      await response.text();
      throw new TypeError('The connection was lost');
    });
    const { data, isReplayed } = await client.withResponse.createDashboard({ title });
    const { dashboards } = await client.listDashboards({ search: title });
    return { isLost, isReplayed, created: data.dashboard.id, found: dashboards.map(({ id }) => id) };
  },

  /** Gives a call up once its request is under way. */
  async giveUp(connection: Connection) {
    const given = new AbortController();
    const client = connect(connection, async (...request) => {
      const response = fetch(...request);
      given.abort(new Error('Enough'));
      return response;
    });
    return client.listProjects({}, { signal: given.signal });
  },
};

type Programs = typeof programs;
type Values = { [N in keyof Programs]: Awaited<ReturnType<Programs[N]>> };

/** Runs a program by its name, here or in a page. */
export type RunProgram = <N extends keyof Programs>(
  name: N,
  ...input: Parameters<Programs[N]>
) => Promise<Outcome<Values[N]>>;

/** Runs a program where it is called: its name and input are plain data, and so is what comes of it. */
export const runProgram: RunProgram = async <N extends keyof Programs>(
  name: N,
  ...input: Parameters<Programs[N]>
) => {
  const program = programs[name] as (...given: Parameters<Programs[N]>) => Promise<Values[N]>;
  try {
    return { value: await program(...input) };
  } catch (error) {
    return { thrown: describeThrown(error) };
  }
};
