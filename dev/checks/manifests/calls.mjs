/** Which pods may open a connection to which, derived from network policies as in Kubernetes. */

/** @typedef {import('./render.mjs').Manifest} Manifest */
/** @typedef {{ name: string, labels: Record<string, string>, ports: Record<string, number> }} PodSet */

const NAME = 'app.kubernetes.io/name';

/**
 * The pods of a workload, by the labels and ports of its template.
 * @param {Manifest} workload
 * @returns {PodSet}
 */
export function podsOf({ spec }) {
  const { metadata, spec: pod } = spec.template;
  const ports = pod.containers.flatMap((/** @type {any} */ container) => container.ports ?? []);
  return {
    name: metadata.labels?.[NAME],
    labels: metadata.labels ?? {},
    ports: Object.fromEntries(ports.map((/** @type {any} */ port) => [port.name, port.containerPort])),
  };
}

/**
 * Whether a label selector picks these labels. An empty one picks all.
 * @param {any} selector
 * @param {Record<string, string>} labels
 */
export function picks(selector, labels) {
  const exact = Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  const others = (selector?.matchExpressions ?? []).every((/** @type {any} */ rule) => {
    if (rule.operator !== 'In') throw new Error(`The operator ${rule.operator} is not understood`);
    return rule.values.includes(labels[rule.key]);
  });
  return exact && others;
}

/**
 * Every connection that the policies allow between the given pods, as `from -> to:port`. A pod that no policy
 * selects is open.
 * @param {readonly PodSet[]} pods
 * @param {readonly Manifest[]} policies
 * @returns {string[]}
 */
export function allowedCalls(pods, policies) {
  return pods.flatMap((from) =>
    pods.flatMap((to) =>
      Object.entries(to.ports)
        .filter(([port, number]) => {
          const target = { to, port, number };
          return (
            lets(policies, { direction: 'Egress', at: from, target }) &&
            lets(policies, { direction: 'Ingress', at: to, target: { ...target, to: from } })
          );
        })
        .map(([port]) => `${from.name} -> ${to.name}:${port}`),
    ),
  );
}

/**
 * Every port of the pods that other namespaces may reach, as `key=value -> to:port` with the label that
 * permits it; `anywhere` if no label is required.
 * @param {readonly PodSet[]} pods
 * @param {readonly Manifest[]} policies
 * @returns {string[]}
 */
export function allowedNamespaces(pods, policies) {
  return pods.flatMap(({ name, labels, ports }) =>
    policies
      .filter(({ spec }) => spec.policyTypes.includes('Ingress') && picks(spec.podSelector, labels))
      .flatMap(({ spec }) => spec.ingress ?? [])
      .flatMap((rule) =>
        Object.keys(ports)
          .filter((port) => opens(rule, port, ports[port]))
          .flatMap((port) => namespacesOf(rule).map((from) => `${from} -> ${name}:${port}`)),
      ),
  );
}

/**
 * Whether a rule applies to a port. @param {any} rule @param {string} port @param {number | undefined} number
 */
function opens({ ports }, port, number) {
  return (
    ports === undefined ||
    ports.some((/** @type {any} */ open) => [undefined, port, number].includes(open.port))
  );
}

/** The other namespaces that a rule admits. @param {any} rule @returns {string[]} */
function namespacesOf({ from }) {
  if (from === undefined) return ['anywhere'];
  return from
    .filter((/** @type {any} */ { podSelector, namespaceSelector }) => !podSelector || namespaceSelector)
    .flatMap((/** @type {any} */ { namespaceSelector }) => {
      const wanted = Object.entries(namespaceSelector?.matchLabels ?? {}).map(
        ([key, value]) => `${key}=${value}`,
      );
      return wanted.length === 0 ? ['anywhere'] : [wanted.join(',')];
    });
}

/**
 * @param {readonly Manifest[]} policies
 * @param {object} connection
 * @param {'Ingress' | 'Egress'} connection.direction
 * @param {PodSet} connection.at
 * @param {{ to: PodSet, port: string, number: number }} connection.target
 */
function lets(policies, { direction, at, target }) {
  const rulesOf = direction === 'Egress' ? 'egress' : 'ingress';
  const peersOf = direction === 'Egress' ? 'to' : 'from';
  const mine = policies.filter(
    ({ spec }) => spec.policyTypes.includes(direction) && picks(spec.podSelector, at.labels),
  );
  if (mine.length === 0) return true;
  return mine.some(({ spec }) =>
    (spec[rulesOf] ?? []).some(
      (/** @type {any} */ rule) =>
        (rule[peersOf] === undefined ||
          rule[peersOf].some((/** @type {any} */ peer) => isPeer(peer, target.to))) &&
        opens(rule, target.port, target.number),
    ),
  );
}

/** A peer in another namespace, or outside, is none of these pods. @param {any} peer @param {PodSet} pods */
function isPeer(peer, pods) {
  return (
    peer.namespaceSelector === undefined &&
    peer.podSelector !== undefined &&
    picks(peer.podSelector, pods.labels)
  );
}
