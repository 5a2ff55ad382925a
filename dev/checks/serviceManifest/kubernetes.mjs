/** The Kubernetes manifests of the processes, and the lists of processes in the other manifests. */
import { PROCESS_NAMES, processEntry, SERVICE_NAMES, serviceEntry } from '@gatehouse/contract';
import { addresses } from './compose.mjs';
import { fileWithRegions } from './regions.mjs';
import {
  autoscaler,
  deployment,
  disruptionBudget,
  indexJob,
  kustomization,
  networkPolicy,
  service,
  serviceAccount,
  volumeClaim,
} from './templates.mjs';

/** @typedef {import('@gatehouse/contract').ProcessName} ProcessName */

const BASE = 'infra/k8s/base';
const INDEXES = 'infra/k8s/indexes';
const LOCAL = 'infra/k8s/overlays/local';
const PRODUCTION = 'infra/k8s/overlays/production';
const HEADER = '# Written by `npm run manifest` from the service manifest.\n';

/** @param {string} file @param {string} text */
const whole = (file, text) => ({ file, write: () => HEADER + text });

/** @param {readonly string[]} lines */
const list = (lines) => lines.map((line) => `- ${line}`).join('\n');

/** @param {readonly string[]} names */
const values = (names) => `values: [${names.join(', ')}]`;

/** @param {readonly string[]} names */
const podSelectors = (names) =>
  names.map((name) => `- podSelector:\n    matchLabels: { app.kubernetes.io/name: ${name} }`).join('\n');

/** @param {ProcessName} name */
function processFiles(name) {
  const { volume } = processEntry(name).deployment;
  const folder = `${BASE}/${name}`;
  return [
    whole(`${folder}/kustomization.yaml`, kustomization(name)),
    whole(`${folder}/serviceAccount.yaml`, serviceAccount(name)),
    whole(`${folder}/deployment.yaml`, deployment(name)),
    whole(`${folder}/service.yaml`, service(name)),
    whole(`${folder}/autoscaler.yaml`, autoscaler(name)),
    whole(`${folder}/disruptionBudget.yaml`, disruptionBudget(name)),
    whole(`${folder}/networkPolicy.yaml`, networkPolicy(name)),
    ...(volume ? [whole(`${folder}/${volume.name}.yaml`, volumeClaim(name, volume))] : []),
  ];
}

const MONGODB_HOSTS = [0, 1, 2].map((index) => `mongodb-${index}.example.com`).join(',');

/** @param {ProcessName} name */
function exampleSecret(name) {
  const { secrets } = processEntry(name);
  const database = name === 'gateway' ? '' : serviceEntry(name).database;
  /** @type {Record<string, string>} */
  const known = {
    MONGODB_URL: `mongodb://${name}:password@${MONGODB_HOSTS}/?replicaSet=rs0&tls=true&authSource=gatehouse_${database}`,
    NATS_URL: `tls://${name}:password@nats.example.com:4222`,
  };
  return `apiVersion: v1
kind: Secret
metadata:
  name: ${name}
  namespace: gatehouse
stringData:
${secrets.map((secret) => `  ${secret}: ${known[secret] ?? 'replace'}`).join('\n')}
---`;
}

/** The pods that open the database: the services, and the jobs that prepare it. */
const CLIENTS_OF_MONGODB = [...SERVICE_NAMES, ...SERVICE_NAMES.map((name) => `${name}-indexes`), 'bootstrap'];

/** The regions of the network policies that both overlays have. */
const clients = {
  'clients of MongoDB': values(CLIENTS_OF_MONGODB),
  'clients of NATS': values(PROCESS_NAMES),
};

export function kubernetesFiles() {
  const images = (/** @type {readonly string[]} */ names) =>
    list(names.map((name) => `{ name: gatehouse/${name}, newTag: local }`));
  const registry = 'registry.example.com';
  const released = (/** @type {string} */ name) =>
    `{ name: gatehouse/${name}, newName: ${registry}/gatehouse/${name}, newTag: 0.1.0 }`;
  const secretFile = (/** @type {string} */ name) => `{ name: ${name}, envs: [secrets/${name}.env] }`;
  return [
    ...PROCESS_NAMES.flatMap(processFiles),
    ...SERVICE_NAMES.map((name) => whole(`${INDEXES}/${name}.yaml`, indexJob(name))),
    fileWithRegions(`${INDEXES}/kustomization.yaml`, {
      resources: list(SERVICE_NAMES.map((name) => `${name}.yaml`)),
      images: images(SERVICE_NAMES),
    }),
    fileWithRegions(`${BASE}/kustomization.yaml`, { processes: list(PROCESS_NAMES) }),
    fileWithRegions(`${BASE}/monitoring.yaml`, { processes: values(PROCESS_NAMES) }),
    fileWithRegions(`${BASE}/settings.yaml`, { addresses: addresses() }),
    fileWithRegions(`${LOCAL}/kustomization.yaml`, {
      images: images(PROCESS_NAMES),
      secrets: list(PROCESS_NAMES.map(secretFile)),
    }),
    fileWithRegions(`${LOCAL}/networkPolicies.yaml`, clients),
    fileWithRegions(`${LOCAL}/mongodb.yaml`, { clients: podSelectors(CLIENTS_OF_MONGODB) }),
    fileWithRegions(`${LOCAL}/nats.yaml`, { clients: podSelectors(PROCESS_NAMES) }),
    fileWithRegions(`${PRODUCTION}/kustomization.yaml`, { images: list(PROCESS_NAMES.map(released)) }),
    fileWithRegions(`${PRODUCTION}/networkPolicies.yaml`, clients),
    fileWithRegions(`${PRODUCTION}/secrets.example.yaml`, {
      processes: PROCESS_NAMES.map(exampleSecret).join('\n'),
    }),
  ];
}
