import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isServiceName, SERVICE_NAMES, serviceEntry } from '@gatehouse/contract';
import { readConfig } from '@gatehouse/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { allowedCalls, allowedNamespaces, podsOf } from './calls.mjs';
import { canRender, parseManifests, renderFolder } from './render.mjs';
import { findRuleFaults } from './rules.mjs';
import { findSchemaFaults } from './schema.mjs';

const repository = path.resolve(import.meta.dirname, '../../..');
const folder = (name: string) => path.join(repository, 'infra/k8s', name);
type Manifests = ReturnType<typeof parseManifests>;
type Manifest = Manifests[number];

if (!canRender()) console.warn('Skipped: the manifests are rendered by kubectl, which is not on the PATH');

function findFaults(manifests: Manifests): string[] {
  return [...manifests.flatMap(findSchemaFaults), ...findRuleFaults(manifests)];
}

const serviceNames = SERVICE_NAMES.toSorted();

/** The sources of an app, without its tests. */
function sourcesOf(app: string): string[] {
  const root = path.join(repository, 'apps', app, 'src');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(file))
    .map((file) => readFileSync(path.join(root, file), 'utf8'));
}

/**
 * The calls that the sources make, outside of tests: the clients that they use from `services`, as value or
 * as type.
 */
function callsInSources(): string[] {
  const calls = new Set(serviceNames.map((name) => `gateway -> ${name}:http`));
  const sources = serviceNames.flatMap((app) => sourcesOf(app).map((text) => [app, text] as const));
  for (const [app, text] of sources) {
    const direct = [...text.matchAll(/\bservices\.(\w+)|ServiceClients\['(\w+)'\]/g)];
    const picked = [...text.matchAll(/Pick<ServiceClients, ([^>]*)>/g)];
    const taken = [...text.matchAll(/const \{([^{}]*)\} = (?:\w+\.)*services\b/g)];
    const named = [...direct, ...picked, ...taken].flatMap(
      (found) => found.slice(1).join(' ').match(/\w+/g) ?? [],
    );
    for (const name of named) if (isServiceName(name) && name !== app) calls.add(`${app} -> ${name}:http`);
  }
  return [...calls].toSorted();
}

/** The files of a folder without rendering: checks of what no overlay changes work without `kubectl`. */
function readFiles(name: string, kind: string): Manifests {
  const files = readdirSync(folder(name), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseManifests(readFileSync(path.join(folder(name), file), 'utf8')))
    .filter((manifest) => manifest.kind === kind);
}

describe('the service manifest', () => {
  it('permits only the calls that are in the sources', () => {
    const declared = serviceNames.flatMap((name) =>
      serviceEntry(name).calls.map((called) => `${name} -> ${called}:http`),
    );
    const ofGateway = serviceNames.map((name) => `gateway -> ${name}:http`);
    expect([...declared, ...ofGateway].toSorted()).toEqual(callsInSources());
  });
});

describe('the network policies of the base', () => {
  it('allow only the calls between services that are in their sources', () => {
    const policies = readFiles('base', 'NetworkPolicy');
    const calls = allowedCalls(readFiles('base', 'Deployment').map(podsOf), policies);
    expect(calls.toSorted()).toEqual(callsInSources());
  });
});

describe('the network policies of the local overlay', () => {
  it('let every pod that opens the database reach it, those of the jobs too', () => {
    const opens = ({ spec }: Manifest) =>
      JSON.stringify(spec.template.spec.containers).includes('"MONGODB_URL"');
    const jobs = [...readFiles('indexes', 'Job'), ...readFiles('bootstrap', 'Job')];
    const clients = [...readFiles('base', 'Deployment'), ...jobs].filter(opens).map(podsOf);
    const policies = ['base', 'overlays/local'].flatMap((name) => readFiles(name, 'NetworkPolicy'));
    const servers = readFiles('overlays/local', 'StatefulSet').map(podsOf);
    const calls = allowedCalls([...clients, ...servers], policies);
    const names = clients.map(({ name }) => name);
    expect(names).toContain('bootstrap');
    expect(names.filter((name) => !calls.includes(`${name} -> mongodb:mongodb`))).toEqual([]);
  });
});

describe.skipIf(!canRender())('the Kubernetes manifests', () => {
  let local: Manifests = [];
  let production: Manifests = [];
  let indexes: Manifests = [];
  let bootstrap: Manifests = [];
  beforeAll(() => {
    spawnSync(process.execPath, [path.join(repository, 'scripts/secrets.mjs')]);
    local = renderFolder(folder('overlays/local'));
    const secrets = readFileSync(folder('overlays/production/secrets.example.yaml'), 'utf8');
    production = [...renderFolder(folder('overlays/production')), ...parseManifests(secrets)];
    indexes = renderFolder(folder('indexes'));
    bootstrap = renderFolder(folder('bootstrap'));
  });

  it('conform to the schemas of Kubernetes and to the rules', () => {
    expect(local.length).toBeGreaterThan(50);
    expect(production.length).toBeGreaterThan(50);
    expect(bootstrap).toHaveLength(1);
    expect(findFaults([...local, ...indexes, ...bootstrap])).toEqual([]);
    expect(findFaults([...production, ...bootstrap])).toEqual([]);
  });

  it('allow exactly the calls of the program, to the database and to the bus', () => {
    const servers = local.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind)).map(podsOf);
    const calls = allowedCalls(
      servers,
      local.filter(({ kind }) => kind === 'NetworkPolicy'),
    );
    const apps = ['gateway', ...serviceNames];
    const expected = [
      ...callsInSources(),
      ...serviceNames.map((name) => `${name} -> mongodb:mongodb`),
      ...apps.map((name) => `${name} -> nats:nats`),
    ];
    expect(calls.toSorted()).toEqual(expected.toSorted());
  });

  it('allow other namespaces only metrics and the gateway', () => {
    for (const manifests of [local, production]) {
      const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
      const apps = ['gateway', ...serviceNames];
      expect(allowedNamespaces(deployments.map(podsOf), policies).toSorted()).toEqual([
        'gatehouse.dev/ingress=true -> gateway:http',
        ...apps.map((name) => `gatehouse.dev/monitoring=true -> ${name}:metrics`).toSorted(),
      ]);
    }
  });

  it('set only variables that the program reads, to valid values', () => {
    const settings = local.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'settings');
    const data: Record<string, string> = settings?.['data'] ?? {};
    // The last one is Node's own, which does not start with unknown options.
    const known = [...Object.keys(readConfig({})), 'NODE_OPTIONS'];
    const set = local
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap(({ spec }) => spec.template.spec.containers[0].env.map(({ name }: { name: string }) => name));
    expect([...set, ...Object.keys(data)].filter((name) => !known.includes(name))).toEqual([]);
    expect(readConfig(data)).toMatchObject({ HOST: '0.0.0.0', PORT: 8080 });
  });

  it('give each service a database user of its own', () => {
    const users = local
      .filter(({ kind }) => kind === 'Secret')
      .flatMap(({ data }) =>
        data['MONGODB_URL'] ? [Buffer.from(data['MONGODB_URL'], 'base64').toString()] : [],
      )
      .map((url) => [new URL(url).username, new URL(url).searchParams.get('authSource')]);
    expect(users).toEqual(serviceNames.map((name) => [name, `gatehouse_${name}`]));
  });

  describe('broken on purpose, are rejected', () => {
    type Break = (find: (kind: string, name: string) => Manifest, all: Manifests) => void;
    const container = (manifest: Manifest) => manifest['spec'].template.spec.containers[0];
    const breaks: Record<string, { spoil: Break; fault: RegExp }> = {
      'a field that is misspelt': {
        spoil: (find) =>
          (find('Deployment', 'access').spec.template.spec.containers[0].imagePullPolice = 'Always'),
        fault: /imagePullPolice: is not a known field/,
      },
      'a number where a text must be': {
        spoil: (find) => (find('ConfigMap', 'settings').data.PORT = 8080),
        fault: /PORT: must be string/,
      },
      'a quantity that is none': {
        spoil: (find) => (container(find('Deployment', 'access')).resources.limits.memory = '512 megabytes'),
        fault: /memory/,
      },
      'an enumeration that is unknown': {
        spoil: (find) => (find('NetworkPolicy', 'access').spec.policyTypes = ['Inbound']),
        fault: /policyTypes/,
      },
      'a removed version': {
        spoil: (find) => (find('PodDisruptionBudget', 'access').apiVersion = 'policy/v1beta1'),
        fault: /no such kind|Cannot find/,
      },
      'a required field that is missing': {
        spoil: (find) => delete find('Deployment', 'access').spec.selector,
        fault: /selector/,
      },
      'a selector that picks other pods': {
        spoil: (find) =>
          (find('Deployment', 'access').spec.selector.matchLabels = { 'app.kubernetes.io/name': 'acces' }),
        fault: /does not pick its own pods/,
      },
      'a service without pods': {
        spoil: (find) => (find('Service', 'policy').spec.selector = { 'app.kubernetes.io/name': 'police' }),
        fault: /picks the pods of 0 workloads/,
      },
      'a port that is not there': {
        spoil: (find) => (find('Service', 'policy').spec.ports[0].targetPort = 'web'),
        fault: /have no port web/,
      },
      'a probe of a port that is not there': {
        spoil: (find) => (container(find('Deployment', 'audit')).readinessProbe.httpGet.port = 'web'),
        fault: /uses the unknown port web/,
      },
      'no readiness probe': {
        spoil: (find) => delete container(find('Deployment', 'audit')).readinessProbe,
        fault: /has no readinessProbe/,
      },
      'metrics that the pod alone can read': {
        spoil: (find) => delete find('ConfigMap', 'settings').data.METRICS_HOST,
        fault: /Deployment policy: its metrics are not at the scraped port/,
      },
      'metrics at another port than the one that is scraped': {
        spoil: (find) =>
          (find('Deployment', 'access').spec.template.metadata.annotations['prometheus.io/port'] = '9465'),
        fault: /Deployment access: its metrics are not at the scraped port/,
      },
      'a pod that is not given the settings of the metrics': {
        spoil: (find) => delete container(find('Deployment', 'audit')).envFrom,
        fault: /Deployment audit: its metrics are not at the scraped port/,
      },
      'metrics that no monitoring may reach': {
        spoil: (find) => (find('NetworkPolicy', 'monitoring').spec.ingress[0].ports[0].port = 9465),
        fault: /Deployment gateway: no namespace may read its metrics/,
      },
      'no memory limit': {
        spoil: (find) => delete container(find('Deployment', 'audit')).resources.limits,
        fault: /has no memory limit/,
      },
      'a root file system that can be written': {
        spoil: (find) =>
          (container(find('Deployment', 'gateway')).securityContext.readOnlyRootFilesystem = false),
        fault: /may write its root file system/,
      },
      'a container that may run as root': {
        spoil: (find) => delete find('Deployment', 'gateway').spec.template.spec.securityContext,
        fault: /may run as root/,
      },
      'a token of the cluster': {
        spoil: (find) => delete find('Deployment', 'gateway').spec.template.spec.automountServiceAccountToken,
        fault: /is given a token of the cluster/,
      },
      'an image without a version': {
        spoil: (find) => (container(find('Deployment', 'gateway')).image = 'gatehouse/gateway:latest'),
        fault: /image has no version/,
      },
      'a secret that is not there': {
        spoil: (find) =>
          (container(find('Deployment', 'gateway')).env.at(-2).valueFrom.secretKeyRef.name = 'gate'),
        fault: /unknown Secret gate/,
      },
      'a key that its secret does not have': {
        spoil: (find) =>
          (container(find('Deployment', 'gateway')).env.at(-2).valueFrom.secretKeyRef.key = 'NATS'),
        fault: /Secret gateway has no NATS/,
      },
      'a volume that is not there': {
        spoil: (find) => (container(find('Deployment', 'lifecycle')).volumeMounts[0].name = 'temp'),
        fault: /has no volume temp/,
      },
      'a claim that is not there': {
        spoil: (_find, all) =>
          void all.splice(
            all.findIndex(({ kind }) => kind === 'PersistentVolumeClaim'),
            1,
          ),
        fault: /unknown PersistentVolumeClaim/,
      },
      'no time to stop': {
        spoil: (find) => (find('Deployment', 'access').spec.template.spec.terminationGracePeriodSeconds = 10),
        fault: /has no time to stop/,
      },
      'no disruption budget': {
        spoil: (_find, all) =>
          void all.splice(
            all.findIndex(
              ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === 'policy',
            ),
            1,
          ),
        fault: /Deployment policy: has no disruption budget/,
      },
      'no network policy': {
        spoil: (find) => (
          (find('NetworkPolicy', 'nats-clients').spec.podSelector.matchExpressions[0].values = ['access']),
          (find('NetworkPolicy', 'monitoring').spec.podSelector.matchExpressions[0].values = ['access']),
          (find('NetworkPolicy', 'gateway').spec.podSelector.matchLabels = {
            'app.kubernetes.io/name': 'gate',
          })
        ),
        fault: /Deployment gateway: has no network policy/,
      },
      'nothing that denies what is not allowed': {
        spoil: (find) => (find('NetworkPolicy', 'deny-all').spec.egress = [{}]),
        fault: /No network policy denies/,
      },
      'an autoscaler of nothing': {
        spoil: (find) => (find('HorizontalPodAutoscaler', 'access').spec.scaleTargetRef.name = 'acces'),
        fault: /scales an unknown workload/,
      },
      'one pod alone': {
        spoil: (find) => (find('HorizontalPodAutoscaler', 'access').spec.minReplicas = 1),
        fault: /fewer than two pods/,
      },
    };

    it.each(Object.entries(breaks))('%s', (_name, { spoil, fault }) => {
      const copy = structuredClone(local);
      const find = (kind: string, name: string) => {
        const found = copy.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
        if (found === undefined) throw new Error(`There is no ${kind} ${name} to break`);
        return found;
      };
      spoil(find, copy);
      expect(findFaults(copy).join('\n')).toMatch(fault);
    });

    it('a call that the architecture does not include', () => {
      const copy = structuredClone(local).filter(({ kind }) => kind === 'NetworkPolicy');
      const servers = local.filter(({ kind }) => kind === 'Deployment').map(podsOf);
      const before = allowedCalls(servers, copy);
      const egress = copy.find(({ metadata }) => metadata.name === 'audit')?.['spec'].egress;
      egress.push({ to: [{ podSelector: {} }] });
      expect(allowedCalls(servers, copy)).toEqual(before);
      const ingress = copy.find(({ metadata }) => metadata.name === 'policy')?.['spec'].ingress;
      ingress.push({});
      expect(allowedCalls(servers, copy)).toContain('audit -> policy:http');
      expect(allowedNamespaces(servers, copy)).toContain('anywhere -> policy:metrics');
    });
  });
});
