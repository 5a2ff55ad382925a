import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { findSchemaFaults } from '../schema.mjs';

/** An object of the API, as far as the stub uses it. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; uid?: string; resourceVersion?: string };
  data?: Record<string, string>;
  spec?: unknown;
  status?: unknown;
}

/** A kind of the API; `plural` is its name in paths. */
export interface Kind {
  apiVersion: string;
  kind: string;
  plural: string;
  isNamespaced: boolean;
}

const NAMESPACE: Kind = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', isNamespaced: false };

/** The kinds that the commands of the pages need. */
export const KINDS: readonly Kind[] = [
  NAMESPACE,
  { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', isNamespaced: true },
  { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', isNamespaced: true },
  { apiVersion: 'v1', kind: 'Service', plural: 'services', isNamespaced: true },
  { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', isNamespaced: true },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', isNamespaced: true },
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', isNamespaced: true },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    isNamespaced: true,
  },
  { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs', isNamespaced: true },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', plural: 'ingresses', isNamespaced: true },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    isNamespaced: true,
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    isNamespaced: true,
  },
];

/** Objects of one kind, and of one namespace and one name where these are given. */
export interface Selection {
  kind: Kind;
  namespace?: string | undefined;
  name?: string | undefined;
}

/** A change of an object, in the terms of a watch. */
export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubernetesObject;
}

/** An error response, in the terms of the API. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** How long the pod of a job runs, so that a caller that does not wait for it is too early. */
const JOB_MS = 500;
/** A field that refers to another object, and that object's kind. */
const REFERENCES = new Map([
  ['secret', 'Secret'],
  ['secretRef', 'Secret'],
  ['secretKeyRef', 'Secret'],
  ['configMapRef', 'ConfigMap'],
]);

/** The objects that a job's pod needs to start, as `Secret bootstrap`. */
export function findReferences(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
    const kind = REFERENCES.get(key);
    if (kind === undefined) return findReferences(child);
    const { name, secretName } = child as { name?: string; secretName?: string };
    return [`${kind} ${name ?? secretName ?? ''}`];
  });
}

/** Whether a selector includes an object. */
export function isSelected(
  { kind, namespace, name }: Selection,
  { kind: ownKind, metadata }: KubernetesObject,
): boolean {
  return (
    ownKind === kind.kind &&
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name)
  );
}

const keyOf = ({ kind, metadata }: KubernetesObject) =>
  `${kind} ${metadata.namespace ?? ''} ${metadata.name}`;

/**
 * The objects of the stub, in memory. It implements what the commands can observe of a cluster: it rejects
 * what the schemas reject, existing objects, and objects without a namespace. A job is complete some time
 * after all secrets and settings that it names exist. **No program is run.**
 */
export class KubernetesObjects {
  readonly changes = new EventEmitter<{ change: [Change] }>();
  /** All changes so far. */
  readonly history: Change[] = [];
  private readonly objects = new Map<string, KubernetesObject>();
  /** The ids of the jobs that run or have run. */
  private readonly started = new Set<string | undefined>();

  constructor() {
    this.changes.on('change', (change) => this.history.push(change));
  }

  list(selection: Selection): KubernetesObject[] {
    return [...this.objects.values()].filter((object) => isSelected(selection, object));
  }

  /** @throws Refusal with 404 if there is none */
  get(selection: Selection): KubernetesObject {
    const [found] = this.list(selection);
    if (found !== undefined) return found;
    const { kind, name = '' } = selection;
    throw new Refusal(404, 'NotFound', `${kind.plural} "${name}" not found`);
  }

  /**
   * An object without a namespace gets that of the path.
   * @throws Refusal with 400, 404 for its namespace or 409
   */
  create({ kind, namespace }: Selection, given: KubernetesObject): KubernetesObject {
    const metadata = { ...(namespace !== undefined && { namespace }), ...given.metadata, uid: randomUUID() };
    const object = { ...given, metadata };
    this.check({ kind, namespace }, object);
    return this.keep('ADDED', object);
  }

  delete(selection: Selection): KubernetesObject {
    const found = this.get(selection);
    this.objects.delete(keyOf(found));
    this.changes.emit('change', { type: 'DELETED', object: found });
    return found;
  }

  private check({ kind, namespace }: Selection, given: KubernetesObject): void {
    const { name, namespace: own } = given.metadata;
    const faults = findSchemaFaults({ ...given });
    if (given.kind !== kind.kind || given.apiVersion !== kind.apiVersion) faults.push(`is no ${kind.kind}`);
    if (own !== namespace) faults.push(`its namespace is ${own ?? 'none'}`);
    if (faults.length > 0) throw new Refusal(400, 'BadRequest', `${name}: ${faults.join('; ')}`);
    if (namespace !== undefined) this.get({ kind: NAMESPACE, name: namespace });
    if (this.objects.has(keyOf(given)))
      throw new Refusal(409, 'AlreadyExists', `${kind.plural} "${name}" already exists`);
  }

  private keep(type: 'ADDED' | 'MODIFIED', object: KubernetesObject): KubernetesObject {
    const resourceVersion = String(this.history.length + 1);
    const kept = { ...object, metadata: { ...object.metadata, resourceVersion } };
    this.objects.set(keyOf(kept), kept);
    this.changes.emit('change', { type, object: kept });
    this.startJobs();
    return kept;
  }

  private startJobs(): void {
    const named = new Set([...this.objects.values()].map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    for (const job of this.objects.values()) {
      const isReady = job.kind === 'Job' && findReferences(job.spec).every((name) => named.has(name));
      if (!isReady || this.started.has(job.metadata.uid)) continue;
      this.started.add(job.metadata.uid);
      setTimeout(() => this.complete(job), JOB_MS).unref();
    }
  }

  private complete(job: KubernetesObject): void {
    if (this.objects.get(keyOf(job)) !== job) return;
    this.keep('MODIFIED', { ...job, status: { conditions: [{ type: 'Complete', status: 'True' }] } });
  }
}
