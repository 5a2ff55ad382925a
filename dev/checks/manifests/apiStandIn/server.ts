import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  KINDS,
  KubernetesObjects,
  Refusal,
  isSelected,
  type Change,
  type KubernetesObject,
  type Selection,
} from './objects.js';
import { readSecret } from './protobuf.js';

/** A running stub of the Kubernetes API server. */
export interface KubernetesApi extends AsyncDisposable {
  /** All creations, changes and deletions, in order. */
  history: readonly Change[];
  /** With these variables, kubectl sends its requests to this server, and keeps its cache in the folder. */
  environment: Record<string, string>;
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const CORE = 'v1';
const GROUPS = [...new Set(KINDS.map(({ apiVersion }) => apiVersion))].filter((name) => name !== CORE);
/**
 * The first requests of kubectl: the available kinds and their paths. The version is that of the field maps
 * in ../schema.mjs.
 */
const DISCOVERY = new Map<string, object>([
  ['/version', { major: '1', minor: '34', gitVersion: 'v1.34.0' }],
  ['/api', { kind: 'APIVersions', versions: [CORE] }],
  ['/apis', { kind: 'APIGroupList', apiVersion: CORE, groups: GROUPS.map(describeGroup) }],
  [`/api/${CORE}`, describeKinds(CORE)],
  ...GROUPS.map((group) => [`/apis/${group}`, describeKinds(group)] as const),
]);
const PATH = /^\/apis?\/(v1|[\w.]+\/v\d+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/;

function describeGroup(groupVersion: string): object {
  const [name, version] = groupVersion.split('/');
  return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
}

function describeKinds(groupVersion: string): object {
  const verbs = ['create', 'delete', 'get', 'list', 'watch'];
  const resources = KINDS.filter(({ apiVersion }) => apiVersion === groupVersion).map(
    ({ kind, plural, isNamespaced }) => ({
      name: plural,
      singularName: '',
      kind,
      namespaced: isNamespaced,
      verbs,
    }),
  );
  return { kind: 'APIResourceList', apiVersion: CORE, groupVersion, resources };
}

/**
 * The objects that a path and its query select.
 * @throws Refusal with 404 for an unknown kind
 */
function selectionOf({ pathname, searchParams }: URL): Selection {
  const [, apiVersion, namespace, plural, name] = PATH.exec(pathname) ?? [];
  const kind = KINDS.find((known) => known.apiVersion === apiVersion && known.plural === plural);
  if (kind === undefined) throw new Refusal(404, 'NotFound', `There is no ${pathname}`);
  const selected = /^metadata\.name=(.+)$/.exec(searchParams.get('fieldSelector') ?? '')?.[1];
  return { kind, namespace, name: name ?? selected };
}

async function readObject(request: IncomingMessage): Promise<KubernetesObject> {
  const body = await buffer(request);
  return request.headers['content-type'] === PROTOBUF
    ? readSecret(body)
    : (JSON.parse(body.toString()) as KubernetesObject);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendStatus(response: ServerResponse, { code, reason, message }: Refusal): void {
  sendJson(response, code, { kind: 'Status', apiVersion: CORE, status: 'Failure', code, reason, message });
}

/** Sends the changes since a version, and all further ones. */
function watch(objects: KubernetesObjects, url: URL, response: ServerResponse): void {
  const selection = selectionOf(url);
  const send = (change: Change) =>
    isSelected(selection, change.object) && response.write(`${JSON.stringify(change)}\n`);
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  for (const change of objects.history.slice(Number(url.searchParams.get('resourceVersion')))) send(change);
  objects.changes.on('change', send);
  response.once('close', () => objects.changes.off('change', send));
}

async function answer(objects: KubernetesObjects, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const known = DISCOVERY.get(url.pathname);
  if (known !== undefined) return sendJson(response, 200, known);
  // Without schemas from the server, kubectl leaves validation to the server.
  if (url.pathname === '/openapi/v2')
    return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end();
  if (url.searchParams.has('watch')) return watch(objects, url, response);
  const selection = selectionOf(url);
  if (request.method === 'POST')
    return sendJson(response, 201, objects.create(selection, await readObject(request)));
  if (request.method === 'DELETE') return sendJson(response, 200, objects.delete(selection));
  if (request.method !== 'GET')
    throw new Refusal(405, 'MethodNotAllowed', `The stand-in does not know ${request.method}`);
  if (selection.name !== undefined && !url.searchParams.has('fieldSelector'))
    return sendJson(response, 200, objects.get(selection));
  const { apiVersion, kind } = selection.kind;
  const metadata = { resourceVersion: String(objects.history.length) };
  sendJson(response, 200, { apiVersion, kind: `${kind}List`, metadata, items: objects.list(selection) });
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: CORE,
    kind: 'Config',
    clusters: [{ name: 'standin', cluster: { server } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'standin', context: { cluster: 'standin', user: 'nobody' } }],
    'current-context': 'standin',
  });
}

/**
 * Starts a stub of the Kubernetes API server for kubectl, with only the requests that the commands of the
 * pages send. It keeps objects in memory, rejects what the schemas of dev/checks/manifests reject, and runs
 * nothing: **not a cluster.**
 *
 * @param folder kubectl's settings and cache
 */
export async function startKubernetesApi(folder: string): Promise<KubernetesApi> {
  const objects = new KubernetesObjects();
  const server = createServer((request, response) => {
    answer(objects, request, response).catch((error: unknown) => {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
      sendStatus(response, refusal);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const kubeconfig = join(folder, `kubeconfig-${port}.json`);
  await writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${port}`));
  return {
    history: objects.history,
    environment: { KUBECONFIG: kubeconfig, HOME: folder },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
