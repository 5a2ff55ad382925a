import type { ValidationResult } from '@gatehouse/contract';

type ResourceResults = ValidationResult['resourceResults'];
type ResourceNoun = keyof ResourceResults;
type Resource = ResourceResults[ResourceNoun][number];

/** The distinct resources of a template, in order of their first reference. */
export class Resources {
  readonly #byNoun: Record<ResourceNoun, Map<string, Resource>> = {
    connections: new Map(),
    datasets: new Map(),
    datamodels: new Map(),
    visuals: new Map(),
    domains: new Map(),
    assistantProfiles: new Map(),
  };

  /** A resource with one invalid reference is invalid. */
  add(noun: ResourceNoun, id: string, { name, isValid }: Omit<Resource, 'id'>): void {
    const known = this.#byNoun[noun].get(id);
    if (known === undefined) this.#byNoun[noun].set(id, { id, name, isValid });
    else known.isValid &&= isValid;
  }

  results(): ResourceResults {
    const { connections, datasets, datamodels, visuals, domains, assistantProfiles } = this.#byNoun;
    return {
      connections: [...connections.values()],
      datasets: [...datasets.values()],
      datamodels: [...datamodels.values()],
      visuals: [...visuals.values()],
      domains: [...domains.values()],
      assistantProfiles: [...assistantProfiles.values()],
    };
  }
}
