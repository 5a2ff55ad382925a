import { succeeded, type Api, type Project, type Session } from '../api.js';
import type { Canaries, PlantedRecord } from './registry.js';

/** The ids of an organization's records by the name of the field or the part of a path that takes them. */
export type KnownIds = Record<string, string[]>;

/** What is needed to make one: an ADMIN of it in its project. */
export interface Founding {
  name: string;
  api: Api;
  project: Project;
  adminId: string;
  canaries: Canaries;
  webhookUrl: string;
}

export type Fields = Record<string, unknown>;

/** Makes records over REST and notes their ids. */
export class Founder {
  readonly ids: KnownIds = {};
  readonly tokens: Record<string, string> = {};
  readonly templates: object[] = [];
  /** The records of the people by kind, so that more places can be named where they are read. */
  readonly people = new Map<string, PlantedRecord>();
  /** The dashboard of the author, whose former contents are in its versions. */
  authorsDashboard: PlantedRecord | undefined;
  readonly #founding: Founding;
  admin!: Session;

  constructor(founding: Founding) {
    this.#founding = founding;
  }

  record(noun: string): PlantedRecord {
    return this.#founding.canaries.record(noun, this.#founding.name);
  }

  keepSecret(field: string, secret: string): void {
    this.#founding.canaries.addSecret(field, this.#founding.name, secret);
  }

  note(kinds: readonly string[], id: string): string {
    for (const kind of kinds) (this.ids[kind] ??= []).push(id);
    return id;
  }

  async open(name: string, identity: Fields): Promise<Session> {
    const session = await this.#founding.api.openSession(identity, this.#founding.project);
    this.tokens[name] = session.token;
    return session;
  }

  async create(by: Session, path: string, body: Fields): Promise<Fields & { id: string }> {
    const made = succeeded(await by.post<Record<string, Fields & { id: string }>>(path, body));
    const data = (made['data'] ?? made) as unknown as Record<string, Fields & { id: string }>;
    // A policy record is answered beside those that it refers to.
    const own = path.endsWith('/assignments') ? 'assignment' : undefined;
    const noun = own ?? Object.keys(data).find((each) => data[each]?.id !== undefined);
    const record = data[noun ?? ''];
    if (!record) throw new Error(`No record in ${JSON.stringify(made)}`);
    if (typeof record['secret'] === 'string') this.keepSecret(`${noun}.secret`, record['secret']);
    return record;
  }
}
