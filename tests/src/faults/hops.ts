import { readFile } from 'node:fs/promises';
import { services, type ServiceName } from '@gatehouse/contract';
import { parse } from 'yaml';

/** What has connections of its own. */
export type Part = 'gateway' | ServiceName;

export const SERVICES = Object.keys(services) as ServiceName[];

/** A connection of one part, to a service or its store. */
export interface Hop {
  part: Part;
  dependency: ServiceName | 'mongodb';
}

export const nameOf = ({ part, dependency }: Hop): string => `${part} -> ${dependency}`;

interface NetworkPolicy {
  spec: { egress: { to: { podSelector?: { matchLabels?: Record<string, string> } }[] }[] };
}

const POLICIES = new URL('../../../infra/k8s/base/', import.meta.url);

async function readHopsOf(part: Part): Promise<Hop[]> {
  const text = await readFile(new URL(`${part}/networkPolicy.yaml`, POLICIES), 'utf8');
  const { spec } = parse(text) as NetworkPolicy;
  const names = spec.egress.flatMap(({ to }) =>
    to.map(({ podSelector }) => podSelector?.matchLabels?.['app.kubernetes.io/name']),
  );
  return SERVICES.filter((name) => names.includes(name)).map((dependency) => ({ part, dependency }));
}

/**
 * The calls between services, as the network policies allow them. The tests of the manifests compare the
 * policies with the calls in the sources of the services: add a new call here too.
 */
export async function readHops(): Promise<Hop[]> {
  return (await Promise.all((['gateway', ...SERVICES] as const).map(readHopsOf))).flat();
}
