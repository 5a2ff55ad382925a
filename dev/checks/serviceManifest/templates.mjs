/** The Kubernetes manifests of one process. */
import { processEntry, SERVICE_NAMES, serviceEntry } from '@gatehouse/contract';

/**
 * @typedef {import('@gatehouse/contract').ProcessName} ProcessName
 * @typedef {import('@gatehouse/contract').ServiceName} ServiceName
 * @typedef {NonNullable<import('@gatehouse/contract').Deployment['volume']>} Volume
 */

const COMMENT_WIDTH = 96;

/** A comment of lines that fit. @param {string} text @param {string} indent */
function comment(text, indent) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= COMMENT_WIDTH) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines.map((line) => `${indent}# ${line}\n`).join('');
}

/** @param {string} name @param {readonly string[]} secrets */
const secretVariables = (name, secrets, options = '') =>
  secrets
    .map(
      (secret) => `            - name: ${secret}
              valueFrom:
                secretKeyRef: { name: ${name}, key: ${secret}${options} }
`,
    )
    .join('');

/** @param {ProcessName} name */
export const serviceAccount = (name) => `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
automountServiceAccountToken: false
`;

/** @param {ProcessName} name */
export function kustomization(name) {
  const { volume } = processEntry(name).deployment;
  return `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - serviceAccount.yaml
  - deployment.yaml
  - service.yaml
  - autoscaler.yaml
  - disruptionBudget.yaml
  - networkPolicy.yaml
${volume ? `  - ${volume.name}.yaml\n` : ''}`;
}

/** @param {ProcessName} name */
export const service = (name) => `apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  selector: { app.kubernetes.io/name: ${name} }
  ports:
    - { name: http, port: ${name === 'gateway' ? 80 : 8080}, targetPort: http }
    - { name: metrics, port: 9464, targetPort: metrics }
`;

/** @param {ProcessName} name */
export const disruptionBudget = (name) => `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: ${name}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: { app.kubernetes.io/name: ${name} }
`;

/** @param {ProcessName} name */
export const autoscaler = (name) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 2
  maxReplicas: ${processEntry(name).deployment.replicasMax}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: 70 }
  behavior:
    scaleDown: { stabilizationWindowSeconds: 300 }
`;

/** @param {ProcessName} name @param {Volume} volume */
export const volumeClaim = (name, volume) => `${comment(volume.about, '')}apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: ${name}-${volume.name}
spec:
  accessModes: [ReadWriteMany]
  resources:
    requests: { storage: ${volume.storage} }
`;

/** @param {string} direction @param {readonly string[]} names */
const peers = (direction, names) =>
  names.length === 0
    ? ''
    : `    - ${direction}:
${names.map((name) => `        - podSelector:\n            matchLabels: { app.kubernetes.io/name: ${name} }\n`).join('')}      ports:
        - { protocol: TCP, port: http }
`;

const INGRESS = `    - from:
        - namespaceSelector:
            matchLabels: { gatehouse.dev/ingress: 'true' }
      ports:
        - { protocol: TCP, port: http }
`;

/** Admits the callers of the manifest, and the calls that it lists. @param {ProcessName} name */
export function networkPolicy(name) {
  const called =
    name === 'gateway'
      ? SERVICE_NAMES
      : SERVICE_NAMES.filter((other) => serviceEntry(name).calls.includes(other));
  const callers = SERVICE_NAMES.filter(
    (other) => name !== 'gateway' && serviceEntry(other).calls.includes(name),
  );
  const egress = peers('to', called);
  return `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: ${name}
spec:
  podSelector:
    matchLabels: { app.kubernetes.io/name: ${name} }
  policyTypes: [Ingress, Egress]
  ingress:
${name === 'gateway' ? INGRESS : peers('from', ['gateway', ...callers])}${egress && `  egress:\n${egress}`}`;
}

/** @param {ProcessName} name */
function ownVariables(name) {
  const { secrets, optionalSecrets = [], deployment: size } = processEntry(name);
  const { volume, nodeOptions } = size;
  const place = volume ? `            - name: ${volume.setting}\n              value: ${volume.path}\n` : '';
  const options = nodeOptions
    ? `${comment(nodeOptions.reason, '            ')}            - { name: NODE_OPTIONS, value: ${nodeOptions.value} }\n`
    : '';
  const optional = secretVariables(name, optionalSecrets, ', optional: true');
  return place + options + secretVariables(name, secrets) + optional;
}

/** @param {boolean} hasFiles whether it writes to a volume */
const podSecurity = (hasFiles) => `      securityContext:
        runAsNonRoot: true
        runAsUser: 10001
        runAsGroup: 10001
${hasFiles ? '        fsGroup: 10001\n' : ''}        seccompProfile: { type: RuntimeDefault }
`;

const CONTAINER_SECURITY = `          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: ['ALL'] }
`;

/** @param {string} name @param {string} topology */
const spread = (name, topology) => `        - maxSkew: 1
          topologyKey: ${topology}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: { app.kubernetes.io/name: ${name} }
`;

const PROBES = `          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 1
            failureThreshold: 30
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 2
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          lifecycle:
            preStop:
              # Until every node has taken the pod out of its rules, connections still arrive.
              exec: { command: ['node', '-e', 'setTimeout(() => {}, 5000)'] }
`;

/** @param {ProcessName} name */
function container(name) {
  const { cpu, memory, memoryMax, volume } = processEntry(name).deployment;
  return `        - name: ${name}
          image: gatehouse/${name}
          ports:
            - { name: http, containerPort: 8080 }
            - { name: metrics, containerPort: 9464 }
          envFrom:
            - configMapRef: { name: settings }
          env:
${ownVariables(name)}          resources:
            requests: { cpu: ${cpu}, memory: ${memory} }
            limits: { memory: ${memoryMax} }
${PROBES}${CONTAINER_SECURITY}          volumeMounts:
            - name: tmp
              mountPath: /tmp
${volume ? `            - name: ${volume.name}\n              mountPath: ${volume.path}\n` : ''}`;
}

/** @param {ProcessName} name */
export function deployment(name) {
  const { volume } = processEntry(name).deployment;
  const claim = volume
    ? `        - name: ${volume.name}\n          persistentVolumeClaim: { claimName: ${name}-${volume.name} }\n`
    : '';
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  revisionHistoryLimit: 5
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels: { app.kubernetes.io/name: ${name} }
  template:
    metadata:
      labels: { app.kubernetes.io/name: ${name} }
      annotations:
        prometheus.io/scrape: 'true'
        prometheus.io/port: '9464'
        prometheus.io/path: /metrics
    spec:
      serviceAccountName: ${name}
      automountServiceAccountToken: false
      enableServiceLinks: false
      # After its endpoints are removed, the program waits SHUTDOWN_TIMEOUT_MS for requests in flight.
      terminationGracePeriodSeconds: 30
${podSecurity(true)}      topologySpreadConstraints:
${spread(name, 'kubernetes.io/hostname')}${spread(name, 'topology.kubernetes.io/zone')}      containers:
${container(name)}      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 64Mi }
${claim}`;
}

/** The job that creates the indexes of a service. @param {ServiceName} name */
export const indexJob = (name) => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}-indexes
spec:
  backoffLimit: 3
  ttlSecondsAfterFinished: 86400
  template:
    metadata:
      labels: { app.kubernetes.io/name: ${name}-indexes }
    spec:
      restartPolicy: Never
      serviceAccountName: ${name}
      automountServiceAccountToken: false
      enableServiceLinks: false
${podSecurity(false)}      containers:
        - name: indexes
          image: gatehouse/${name}
          args: ['--indexes']
          envFrom:
            - configMapRef: { name: settings }
          env:
${secretVariables(name, serviceEntry(name).secrets)}          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits: { memory: 384Mi }
${CONTAINER_SECURITY}`;
