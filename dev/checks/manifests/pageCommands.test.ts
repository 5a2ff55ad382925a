import { readFile, writeFile } from 'node:fs/promises';
import { SERVICE_NAMES } from '@gatehouse/contract';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBlock, makeClone, readBlocks, repository, type Clone } from '../../../tests/src/docCommands.js';
import { startKubernetesApi, type KubernetesApi } from './apiStandIn/server.js';
import { canRender } from './render.mjs';
import { findReferences, type Change, type KubernetesObject } from './apiStandIn/objects.js';

/**
 * Runs the kubectl commands of the page unchanged, with kubectl itself, against a stub of the API server:
 * **not a cluster**. The test shows that kubectl accepts the commands and the kustomizations, that the
 * requests conform to the API's schemas, and which objects are created in which order. It does not show that
 * a job runs: the stub marks one as complete once everything that its pod names exists.
 */
const PAGE = 'docs/operations.md';
const BOOTSTRAP = (await findBlock(PAGE, 'kubectl apply -k infra/k8s/bootstrap')).text;
const INDEXES = (await findBlock(PAGE, 'kubectl replace')).text;
/** The prerequisites of the page: the settings, and the secrets of the processes. */
const BEFORE = `kubectl apply -f infra/k8s/overlays/production/namespace.yaml
  sed '/^# Only for the job/,$d' infra/k8s/overlays/production/secrets.example.yaml | kubectl apply -f -
  kubectl -n gatehouse apply -f infra/k8s/base/settings.yaml`;
const INDEX_JOBS = SERVICE_NAMES.toSorted().map((name) => `Job gatehouse/${name}-indexes`);

const LIMIT_MS = 120_000;

const nameOf = ({ kind, metadata: { namespace, name } }: KubernetesObject) => `${kind} ${namespace}/${name}`;

interface PodSpec {
  containers: { args: string[]; volumeMounts: { mountPath: string }[] }[];
}

describe.skipIf(!canRender())(
  'the kubectl commands of the page, against a stand-in for the API server',
  { timeout: LIMIT_MS },
  () => {
    let clone: Clone;
    let api: KubernetesApi;
    beforeEach(async () => {
      clone = await makeClone(['scripts', 'infra']);
      api = await startKubernetesApi(clone.path);
    });
    afterEach(async () => {
      await api[Symbol.asyncDispose]();
      await clone[Symbol.asyncDispose]();
    });

    const run = (commands: string) => clone.run(commands, api.environment);
    const succeed = async (commands: string) => {
      const { code, output, errors } = await run(commands);
      expect({ code, said: code === 0 ? '' : errors + output }).toEqual({ code: 0, said: '' });
      return output;
    };
    /** The changes since a moment, as `ADDED Job gatehouse/bootstrap`. */
    const changesSince = (from: number) =>
      api.history.slice(from).map(({ type, object }) => `${type} ${nameOf(object)}`);
    const find = (type: Change['type'], name: string) => {
      const found = api.history.find((change) => change.type === type && nameOf(change.object) === name);
      if (found === undefined) throw new Error(`${name} was not ${type}`);
      return found.object;
    };

    it('create the first organization: the indexes, then a job with a temporary Secret', async () => {
      await succeed(BEFORE);
      const before = api.history.length;
      await succeed(BOOTSTRAP);
      const changes = changesSince(before);
      expect(changes.filter((change) => !change.startsWith('MODIFIED'))).toEqual([
        'ADDED Secret gatehouse/bootstrap',
        ...INDEX_JOBS.map((name) => `ADDED ${name}`),
        'ADDED Job gatehouse/bootstrap',
        'DELETED Secret gatehouse/bootstrap',
      ]);
      // Only a complete job no longer needs its Secret.
      expect(changes.slice(-2)).toEqual([
        'MODIFIED Job gatehouse/bootstrap',
        'DELETED Secret gatehouse/bootstrap',
      ]);

      const { data = {} } = find('ADDED', 'Secret gatehouse/bootstrap');
      const file = await readFile(join(clone.path, 'my-secrets/credentials.json'));
      expect(data).toEqual({ 'credentials.json': file.toString('base64') });
      const job = find('ADDED', 'Job gatehouse/bootstrap');
      expect(findReferences(job.spec)).toContain('Secret bootstrap');
      const [container] = (job.spec as { template: { spec: PodSpec } }).template.spec.containers;
      const [folder] = container?.volumeMounts ?? [];
      expect(container?.args.slice(0, 3)).toEqual([
        '--bootstrap',
        '--credentials',
        `${folder?.mountPath}/${Object.keys(data).join()}`,
      ]);
    });

    it('may be repeated without changing existing jobs', async () => {
      await succeed(BEFORE);
      await succeed(BOOTSTRAP);
      const before = api.history.length;
      expect(await succeed(BOOTSTRAP)).toContain('job.batch/bootstrap unchanged');
      expect(changesSince(before)).toEqual([
        'ADDED Secret gatehouse/bootstrap',
        'DELETED Secret gatehouse/bootstrap',
      ]);
    });

    it('create the indexes again before an upgrade, with new jobs', async () => {
      await succeed(BEFORE);
      await succeed(INDEXES);
      const before = api.history.length;
      await succeed(INDEXES);
      const changes = changesSince(before).filter((change) => !change.startsWith('MODIFIED'));
      expect(changes.toSorted()).toEqual(
        [
          ...INDEX_JOBS.map((name) => `ADDED ${name}`),
          ...INDEX_JOBS.map((name) => `DELETED ${name}`),
        ].toSorted(),
      );
    });

    it('deploy the platform as in docs/tutorials/deploy-to-kubernetes.md', async () => {
      for (const { text, output } of await readBlocks('docs/tutorials/deploy-to-kubernetes.md')) {
        const printed = await succeed(text);
        expect(output ?? printed).toBe(printed);
      }
      const deployments = changesSince(0).filter((change) => change.startsWith('ADDED Deployment'));
      expect(deployments).toHaveLength(SERVICE_NAMES.length + 1);
      const gateway = find('ADDED', 'Deployment gatehouse/gateway');
      expect(JSON.stringify(gateway.spec)).toContain('registry.mycompany.example/gatehouse/gateway');
      const ingress = find('ADDED', 'Ingress gatehouse/gateway');
      expect(JSON.stringify(ingress.spec)).toContain('gatehouse.mycompany.example');
    });

    it('start with more processes as in docs/scaling.md', async () => {
      const page = await readFile(join(repository, 'docs/scaling.md'), 'utf8');
      const [, patch = ''] = /^```yaml\npatches:\n([^]*?)^```$/m.exec(page) ?? [];
      const overlay = 'infra/k8s/overlays/production';
      const file = join(clone.path, overlay, 'kustomization.yaml');
      await writeFile(file, (await readFile(file, 'utf8')).replace(/^patches:\n/m, `$&${patch}`));
      await succeed(`touch ${overlay}/ca.crt`);
      const objects = (await succeed(`kubectl kustomize ${overlay}`)).split(/^---$/m);
      const scaled = objects.filter((object) => object.includes('minReplicas: 4'));
      expect(scaled).toEqual([expect.stringMatching(/kind: HorizontalPodAutoscaler[^]*name: access\n/)]);
    });

    it('fail and stop at a broken manifest', async () => {
      await succeed(BEFORE);
      const file = join(clone.path, 'infra/k8s/bootstrap/job.yaml');
      const text = await readFile(file, 'utf8');
      for (const [right, wrong, fault] of [
        ['backoffLimit:', 'backofLimit:', 'spec.backofLimit: is not a known field'],
        ['backoffLimit: 3', 'backoffLimit: three', 'backoffLimit: must be number'],
        ['memory: 384Mi', 'memory: much', 'memory'],
      ] as const) {
        await writeFile(file, text.replace(right, wrong));
        const before = api.history.length;
        const { code, errors } = await run(BOOTSTRAP);
        expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining(fault) as unknown });
        expect(changesSince(before).filter((change) => change.endsWith('/bootstrap'))).toEqual([
          'ADDED Secret gatehouse/bootstrap',
        ]);
        await succeed('kubectl -n gatehouse delete secret bootstrap');
      }
    });

    it('stop if the Secret of the job is missing', async () => {
      await succeed(BEFORE);
      const commands = BOOTSTRAP.replace(/^kubectl .*create secret.*$/m, '').replace(
        '--timeout=5m',
        '--timeout=2s',
      );
      const { code, errors } = await run(commands);
      expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining('timed out') as unknown });
      expect(changesSince(0)).not.toContain('MODIFIED Job gatehouse/bootstrap');
    });

    it('create nothing in a cluster without the namespace', async () => {
      const { code, errors } = await run(BOOTSTRAP);
      expect({ code, errors }).toEqual({
        code: 1,
        errors: expect.stringContaining('namespaces "gatehouse" not found') as unknown,
      });
      expect(api.history).toEqual([]);
    });
  },
);
