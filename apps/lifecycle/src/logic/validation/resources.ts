import type { ValidationResult } from '@gatehouse/contract';

type ResourceResults = ValidationResult['resourceResults'];
type ResourceNoun = keyof ResourceResults;
type Resource = ResourceResults[ResourceNoun][number];

/** The distinct resources that a template refers to, in the order in which it first does. */
export class Resources {
  readonly #byNoun: Record<ResourceNoun, Map<string, Resource>> = {
    connections: new Map(),
    datasets: new Map(),
    datamodels: new Map(),
    visuals: new Map(),
    domains: new Map(),
    assistantProfiles: new Map(),
  };

  /** What is invalid anywhere is invalid. */
  note(noun: ResourceNoun, id: string, { name, isValid }: Omit<Resource, 'id'>): void {
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
