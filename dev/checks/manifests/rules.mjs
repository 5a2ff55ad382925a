/**
 * The project's rules for its manifests beyond those of Kubernetes. Each rule returns its findings as
 * sentences.
 */
import { allowedNamespaces, picks, podsOf } from './calls.mjs';

/** @typedef {import('./render.mjs').Manifest} Manifest */

/**
 * Seconds that a program may take to stop: the wait before the signal, SHUTDOWN_TIMEOUT_MS, and the rest of
 * the shutdown.
 */
const STOP_SECONDS = 5 + 8 + 10;
const WORKLOADS = ['Deployment', 'StatefulSet', 'Job'];
const SERVERS = ['Deployment', 'StatefulSet'];
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];

/** The objects of one deployment, by kind. */
class ManifestSet {
  /** @param {readonly Manifest[]} manifests */
  constructor(manifests) {
    this.manifests = manifests;
  }

  /** @param {...string} kinds @returns {Manifest[]} */
  of(...kinds) {
    return this.manifests.filter(({ kind }) => kinds.includes(kind));
  }

  /** @param {string} kind @param {string} name @returns {Manifest | undefined} */
  find(kind, name) {
    return this.manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  }
}

const title = (/** @type {Manifest} */ { kind, metadata }) => `${kind} ${metadata.name}`;

/** @param {ManifestSet} set @returns {string[]} */
function selectorFaults(set) {
  const pods = set.of(...WORKLOADS).map(podsOf);
  const workloads = set
    .of(...SERVERS)
    .filter(({ spec }) => !picks(spec.selector, spec.template.metadata.labels ?? {}))
    .map((workload) => `${title(workload)}: its selector does not pick its own pods`);
  const services = set.of('Service').flatMap((service) => {
    const { selector, ports } = service.spec;
    const picked = pods.filter(({ labels }) => picks({ matchLabels: selector }, labels));
    if (picked.length !== 1) return [`${title(service)}: picks the pods of ${picked.length} workloads`];
    return ports
      .filter((/** @type {any} */ { targetPort }) => picked[0]?.ports[targetPort] === undefined)
      .map((/** @type {any} */ { targetPort }) => `${title(service)}: the pods have no port ${targetPort}`);
  });
  return [...workloads, ...services];
}

/** @param {ManifestSet} set @returns {string[]} */
function containerFaults(set) {
  return set.of(...WORKLOADS).flatMap((workload) => {
    const pod = workload.spec.template.spec;
    const at = title(workload);
    return pod.containers.flatMap((/** @type {any} */ container) => {
      const faults = [];
      const { resources, securityContext: security, image } = container;
      if (!resources?.requests?.cpu || !resources.requests.memory)
        faults.push(`${at}: requests no CPU or memory`);
      if (!resources?.limits?.memory) faults.push(`${at}: has no memory limit`);
      if (security?.allowPrivilegeEscalation !== false) faults.push(`${at}: may gain privileges`);
      if (security?.readOnlyRootFilesystem !== true) faults.push(`${at}: may write its root file system`);
      if (!security?.capabilities?.drop?.includes('ALL')) faults.push(`${at}: keeps capabilities`);
      if (!/:[\w.-]+$|@sha256:/.test(image) || image.endsWith(':latest'))
        faults.push(`${at}: its image has no version`);
      const probes = workload.kind === 'Job' ? [] : PROBES;
      for (const probe of probes) if (container[probe] === undefined) faults.push(`${at}: has no ${probe}`);
      const ports = (container.ports ?? []).map((/** @type {any} */ { name }) => name);
      for (const probe of probes) {
        const port = container[probe]?.httpGet?.port ?? container[probe]?.tcpSocket?.port;
        if (port !== undefined && !ports.includes(port))
          faults.push(`${at}: its ${probe} uses the unknown port ${port}`);
      }
      return faults;
    });
  });
}

/** @param {ManifestSet} set @returns {string[]} */
function podFaults(set) {
  return set.of(...WORKLOADS).flatMap((workload) => {
    const pod = workload.spec.template.spec;
    const labels = workload.spec.template.metadata.labels ?? {};
    const at = title(workload);
    const faults = [];
    if (pod.securityContext?.runAsNonRoot !== true) faults.push(`${at}: may run as root`);
    if (pod.securityContext?.seccompProfile?.type !== 'RuntimeDefault')
      faults.push(`${at}: has no seccomp profile`);
    if (pod.automountServiceAccountToken !== false) faults.push(`${at}: is given a token of the cluster`);
    const account = pod.serviceAccountName;
    if (account === undefined || account === 'default')
      faults.push(`${at}: has no service account of its own`);
    if (workload.kind === 'Deployment') {
      if ((pod.terminationGracePeriodSeconds ?? 30) < STOP_SECONDS) faults.push(`${at}: has no time to stop`);
      if (pod.containers.some((/** @type {any} */ { lifecycle }) => lifecycle?.preStop === undefined))
        faults.push(`${at}: stops before it is taken out of the endpoints`);
      const spread = pod.topologySpreadConstraints ?? [];
      if (!spread.some((/** @type {any} */ { labelSelector }) => picks(labelSelector, labels)))
        faults.push(`${at}: is not spread over the nodes`);
    }
    const isPicked = (/** @type {Manifest} */ { spec }, /** @type {any} */ selector = spec.selector) =>
      picks(selector, labels);
    const isEmpty = (/** @type {any} */ selector) => Object.keys(selector ?? {}).length === 0;
    const policies = set.of('NetworkPolicy').filter(({ spec }) => !isEmpty(spec.podSelector));
    if (!policies.some((policy) => isPicked(policy, policy.spec.podSelector)))
      faults.push(`${at}: has no network policy`);
    if (SERVERS.includes(workload.kind) && !set.of('PodDisruptionBudget').some((budget) => isPicked(budget)))
      faults.push(`${at}: has no disruption budget`);
    return faults;
  });
}

/**
 * References of pods by name. Secrets that an operator creates are listed beside the manifests.
 * @param {ManifestSet} set @returns {string[]}
 */
function referenceFaults(set) {
  return set.of(...WORKLOADS).flatMap((workload) => {
    const pod = workload.spec.template.spec;
    /** @type {string[]} */
    const faults = [];
    const expect = (
      /** @type {string} */ kind,
      /** @type {string | undefined} */ name,
      /** @type {string} */ key = '',
    ) => {
      if (name === undefined) return;
      const found = set.find(kind, name);
      if (found === undefined) faults.push(`${title(workload)}: refers to an unknown ${kind} ${name}`);
      else if (
        key !== '' &&
        !Object.hasOwn({ ...found['data'], ...found['stringData'], ...found['binaryData'] }, key)
      )
        faults.push(`${title(workload)}: ${kind} ${name} has no ${key}`);
    };
    expect('ServiceAccount', pod.serviceAccountName);
    for (const { env = [], envFrom = [], volumeMounts = [] } of pod.containers) {
      for (const { valueFrom } of env) {
        const { name, key, optional = false } = valueFrom?.secretKeyRef ?? {};
        expect('Secret', name, optional ? '' : key);
        expect('ConfigMap', valueFrom?.configMapKeyRef?.name, valueFrom?.configMapKeyRef?.key);
      }
      for (const { configMapRef, secretRef } of envFrom) {
        expect('ConfigMap', configMapRef?.name);
        expect('Secret', secretRef?.name);
      }
      const claims = workload.spec.volumeClaimTemplates ?? [];
      const volumes = [...(pod.volumes ?? []), ...claims.map((/** @type {any} */ { metadata }) => metadata)];
      for (const { name } of volumeMounts)
        if (!volumes.some((/** @type {any} */ volume) => volume.name === name))
          faults.push(`${title(workload)}: has no volume ${name}`);
    }
    for (const { configMap, secret, persistentVolumeClaim } of pod.volumes ?? []) {
      expect('ConfigMap', configMap?.name);
      expect('Secret', secret?.secretName);
      expect('PersistentVolumeClaim', persistentVolumeClaim?.claimName);
    }
    return faults;
  });
}

/** @param {ManifestSet} set @returns {string[]} */
function scalingFaults(set) {
  const scalers = set.of('HorizontalPodAutoscaler');
  const lost = scalers
    .filter(({ spec }) => set.find(spec.scaleTargetRef.kind, spec.scaleTargetRef.name) === undefined)
    .map((scaler) => `${title(scaler)}: scales an unknown workload`);
  const single = scalers
    .filter(({ spec }) => (spec.minReplicas ?? 1) < 2)
    .map((scaler) => `${title(scaler)}: keeps fewer than two pods`);
  const unscaled = set
    .of('Deployment')
    .filter(({ metadata }) => !scalers.some(({ spec }) => spec.scaleTargetRef.name === metadata.name))
    .map((deployment) => `${title(deployment)}: has no autoscaler`);
  return [...lost, ...single, ...unscaled];
}

/** @param {ManifestSet} set @returns {string[]} */
function ingressFaults(set) {
  return set.of('Ingress').flatMap((ingress) => {
    const faults = (ingress.spec.tls ?? []).length === 0 ? [`${title(ingress)}: has no TLS`] : [];
    const backends = ingress.spec.rules
      .flatMap((/** @type {any} */ { http }) => http.paths)
      .map((/** @type {any} */ { backend }) => backend.service);
    for (const { name, port } of backends) {
      const service = set.find('Service', name);
      if (!service?.spec.ports.some((/** @type {any} */ other) => other.name === port.name))
        faults.push(`${title(ingress)}: leads to an unknown service or port ${name}`);
    }
    return faults;
  });
}

/**
 * The variables of a container, as far as the manifests contain them. @param {ManifestSet} set @param {any}
 * container
 */
function settingsOf(set, { env = [], envFrom = [] }) {
  const shared = envFrom.map((/** @type {any} */ { configMapRef }) => {
    return set.find('ConfigMap', configMapRef?.name)?.['data'];
  });
  const own = env.map((/** @type {any} */ { name, value }) => [name, value]);
  return Object.assign({}, ...shared, Object.fromEntries(own));
}

/**
 * Every server exposes its metrics at the scraped port, on an address that is reachable from outside the pod.
 * @param {ManifestSet} set @returns {string[]}
 */
function metricsFaults(set) {
  const policies = set.of('NetworkPolicy');
  return set.of('Deployment').flatMap((deployment) => {
    const pods = podsOf(deployment);
    const { metadata, spec } = deployment['spec'].template;
    const { METRICS_HOST: host, METRICS_PORT: port } = settingsOf(set, spec.containers[0]);
    const scraped = [metadata.annotations?.['prometheus.io/port'], String(pods.ports['metrics'])];
    const faults = [];
    if (host !== '0.0.0.0' || scraped.some((other) => other !== port))
      faults.push(`${title(deployment)}: its metrics are not at the scraped port`);
    const readers = allowedNamespaces([pods], policies);
    if (!readers.some((reader) => reader.endsWith(`-> ${pods.name}:metrics`)))
      faults.push(`${title(deployment)}: no namespace may read its metrics`);
    return faults;
  });
}

/** @param {ManifestSet} set @returns {string[]} */
function boundaryFaults(set) {
  if (set.of('Deployment').length === 0) return [];
  const deniesAll = set
    .of('NetworkPolicy')
    .some(
      ({ spec }) =>
        Object.keys(spec.podSelector ?? {}).length === 0 &&
        ['Ingress', 'Egress'].every((type) => spec.policyTypes.includes(type)) &&
        spec.ingress === undefined &&
        spec.egress === undefined,
    );
  return deniesAll ? [] : ['No network policy denies what the others do not allow'];
}

const RULES = [
  selectorFaults,
  containerFaults,
  podFaults,
  referenceFaults,
  scalingFaults,
  ingressFaults,
  metricsFaults,
  boundaryFaults,
];

/** @param {readonly Manifest[]} manifests @returns {string[]} */
export function findRuleFaults(manifests) {
  const set = new ManifestSet(manifests);
  return RULES.flatMap((rule) => rule(set));
}
