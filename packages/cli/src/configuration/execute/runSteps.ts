import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@gatehouse/client';
import { readerIn } from '../actual/readResources.js';
import type { Session } from '../actual/session.js';
import type { KindName } from '../model/kinds.js';
import { naturalKey } from '../model/keys.js';
import { isPerson, mayCreate, type PersonKind } from '../model/owners.js';
import { addressOf, type ActualRecord, type ConfigurationRecord, type Fields } from '../model/records.js';
import type { Step } from '../steps/steps.js';
import { OPERATIONS, tagOf, type Place, type Written } from './operations.js';
import { idOf, shareInput, toInput, type Resolver } from './toInput.js';

/** Records of one name are distinguished by the time of their creation, which has milliseconds. */
const SAME_NAME_GAP_MS = 5;

export interface Run {
  session: Session;
  actual: readonly ActualRecord[];
  desired: readonly ConfigurationRecord[];
  variable(name: string): string | undefined;
  /** With which dashboards are committed, if the project commits every save. */
  message?: string | undefined;
}

/** The records as they are while the steps run. */
class Ledger implements Resolver {
  readonly projectId: string;
  readonly variable: Resolver['variable'];
  readonly #written = new Map<string, Written>();

  constructor({ session, actual, variable }: Run) {
    this.projectId = session.projectId;
    this.variable = variable;
    for (const record of actual) this.#written.set(addressOf(record), record);
  }

  findId(kind: KindName, key: string): string | undefined {
    return this.#written.get(addressOf({ kind, key }))?.id;
  }

  find(step: Step): Written {
    const found = this.#written.get(addressOf(step));
    if (!found) throw new Error(`No record ${addressOf(step)}`);
    return found;
  }

  keep(step: Step, { id, version }: Written): void {
    this.#written.set(addressOf(step), { id, version });
  }
}

/** Runs steps one after the other, as those users who may. */
export class StepRunner {
  readonly #run: Run;
  readonly #ledger: Ledger;
  readonly #fields: ReadonlyMap<string, Fields>;
  readonly #actual: ReadonlyMap<string, ActualRecord>;
  readonly #people: Map<string, Fields>;

  constructor(run: Run) {
    this.#run = run;
    this.#ledger = new Ledger(run);
    this.#actual = new Map(run.actual.map((record) => [addressOf(record), record]));
    this.#people = new Map(run.actual.map((record) => [addressOf(record), record.fields]));
    this.#fields = new Map(
      [...run.actual, ...run.desired].map((record) => [addressOf(record), record.fields]),
    );
  }

  /** The owner of a dashboard or visual, with the fields that it has by now. */
  #ownerOf(step: Step): { kind: PersonKind; id: string; fields: Fields } {
    const key = String(this.#fields.get(addressOf(step))?.['owner']);
    for (const kind of ['orgUser', 'tenantUser'] as const) {
      const id = this.#ledger.findId(kind, key);
      if (id !== undefined) return { kind, id, fields: this.#people.get(addressOf({ kind, key })) ?? {} };
    }
    throw new Error(`No owner ${key}`);
  }

  /** The client for a record: of a dashboard or visual that of its owner, and otherwise the caller's. */
  #clientFor(step: Step): Client {
    const { session } = this.#run;
    if (step.kind !== 'dashboard' && step.kind !== 'visual') return session.client;
    const { kind, id, fields } = this.#ownerOf(step);
    if (id === session.callerId) return session.client;
    const isCallersOwn = this.#actual.get(addressOf(step))?.isCallersOwn === true;
    const isOwnerAble = session.canActAsOthers && mayCreate(kind, fields);
    return isCallersOwn && !isOwnerAble ? session.client : session.as(readerIn(kind, id));
  }

  #keepPerson({ kind, key, fields }: Extract<Step, { action: 'create' | 'update' }>): void {
    const address = addressOf({ kind, key });
    if (isPerson(kind)) this.#people.set(address, { ...this.#people.get(address), ...fields });
  }

  #placeOf(step: Step): Place {
    const { id } = this.#ledger.find(step);
    const definition = this.#fields.get(addressOf(step))?.['definition'];
    const definitionId =
      typeof definition === 'string' ? this.#ledger.findId('policyDefinition', definition) : undefined;
    return { projectId: this.#ledger.projectId, id, definitionId };
  }

  #inputOf({ kind, fields }: Extract<Step, { action: 'create' | 'update' }>): Fields {
    const { message } = this.#run;
    const commit = kind === 'dashboard' && message !== undefined ? { commitMessage: message } : {};
    return { ...toInput(this.#ledger, kind, fields), ...commit };
  }

  async #create(step: Extract<Step, { action: 'create' }>): Promise<void> {
    const { kind, key, fields } = step;
    if (naturalKey(kind, fields) !== key) await sleep(SAME_NAME_GAP_MS);
    const input = this.#inputOf(step);
    const place = { projectId: this.#ledger.projectId };
    this.#ledger.keep(step, await OPERATIONS[kind].create(this.#clientFor(step), input, place));
    this.#keepPerson(step);
  }

  async #update(step: Extract<Step, { action: 'update' }>): Promise<void> {
    const { kind } = step;
    const input = this.#inputOf(step);
    const at = { place: this.#placeOf(step), options: { ifMatch: tagOf(this.#ledger.find(step).version) } };
    this.#ledger.keep(step, await OPERATIONS[kind].update(this.#clientFor(step), input, at));
    this.#keepPerson(step);
  }

  async #share(step: Extract<Step, { action: 'grant' | 'revoke' }>): Promise<void> {
    const { action, kind } = step;
    const client = this.#clientFor(step);
    const { id } = this.#ledger.find(step);
    const input = { id, shares: step.shares.map((share) => shareInput(this.#ledger, share)) as never };
    if (kind === 'dashboard')
      await (action === 'grant' ? client.shareDashboard(input) : client.revokeDashboardShares(input));
    else await (action === 'grant' ? client.shareVisual(input) : client.revokeVisualShares(input));
  }

  async #changeMembers(step: Extract<Step, { action: 'addMembers' | 'removeMembers' }>): Promise<void> {
    const { client } = this.#run.session;
    const userIds = step.members.map((key) => idOf(this.#ledger, 'person', key));
    const input = { id: this.#ledger.find(step).id, userIds };
    await (step.action === 'addMembers' ? client.addGroupMembers(input) : client.removeGroupMembers(input));
  }

  /** Runs one step. Its errors are those of the client. */
  async run(step: Step): Promise<void> {
    switch (step.action) {
      case 'create':
        return this.#create(step);
      case 'update':
        return this.#update(step);
      case 'grant':
      case 'revoke':
        return this.#share(step);
      case 'addMembers':
      case 'removeMembers':
        return this.#changeMembers(step);
      case 'delete': {
        const options = { ifMatch: tagOf(this.#ledger.find(step).version) };
        await OPERATIONS[step.kind].remove(this.#clientFor(step), this.#placeOf(step), options);
      }
    }
  }
}
