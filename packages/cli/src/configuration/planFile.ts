import { readFile, stat, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { EXIT_CODES } from '../exitCodes.js';
import { CommandError, usageError } from '../failures.js';
import { isMissing } from '../privateFiles.js';
import type { Change, FieldChange } from './diff/changes.js';
import { KIND_NAMES, KINDS } from './model/kinds.js';
import { addressOf, nameOf, shareKey, type DesiredRecord } from './model/records.js';

const FORMAT = 'gatehouse-plan/1';

/** A plan in a file: everything that an apply needs, without secrets. */
export interface SavedPlan {
  projectId: string;
  isPruned: boolean;
  raisesOwners: boolean;
  desired: DesiredRecord[];
  changes: Change[];
}

const Addressed = { kind: z.enum(KIND_NAMES), key: z.string() };
const Fields = z.record(z.string(), z.unknown());
const Changed = z.looseObject({ field: z.string() });
const SavedPlanFile = z.strictObject({
  format: z.literal(FORMAT),
  projectId: z.string(),
  isPruned: z.boolean(),
  raisesOwners: z.boolean(),
  desired: z.array(z.strictObject({ ...Addressed, fields: Fields, file: z.string() })),
  changes: z.array(
    z.discriminatedUnion('action', [
      z.strictObject({ ...Addressed, action: z.literal('create'), fields: Fields }),
      z.strictObject({ ...Addressed, action: z.literal('update'), fields: z.array(Changed) }),
      // A former release wrote no id. Such a plan is stale if it deletes.
      z.strictObject({ ...Addressed, action: z.literal('delete'), id: z.string().optional() }),
    ]),
  ),
});

export async function writePlan(file: string, plan: SavedPlan): Promise<void> {
  await writeFile(file, `${JSON.stringify({ format: FORMAT, ...plan }, null, 2)}\n`);
}

/** The plan in a file; null for a folder or a missing file. */
export async function readPlan(file: string): Promise<SavedPlan | null> {
  const found = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null || found.isDirectory()) return null;
  try {
    const { format: _format, ...plan } = SavedPlanFile.parse(JSON.parse(await readFile(file, 'utf8')));
    return plan as SavedPlan;
  } catch {
    throw usageError(`${file} is no plan: write one with gatehouse plan --out`);
  }
}

/**
 * The parts of a change, each of which is done or not. A deletion names the record by its id: another one may
 * have the same address since.
 */
function partsOf(change: Change): string[] {
  const parts =
    change.action === 'update'
      ? change.fields.flatMap(fieldParts)
      : [change.action === 'delete' ? `delete ${change.id}` : change.action];
  return parts.map((part) => `${addressOf(change)}\n${part}`);
}

function fieldParts(change: FieldChange): string[] {
  if ('before' in change) return [JSON.stringify([change.field, change.before, change.after])];
  if (change.field === 'members')
    return [...change.added.map((key) => `+ ${key}`), ...change.removed.map((key) => `- ${key}`)];
  return [
    ...change.added.map((share) => `+ ${shareKey(share)} ${share.role} ${share.expiresAt ?? ''}`),
    ...change.removed.map((share) => `- ${shareKey(share)}`),
  ];
}

/** The state in which an interrupted apply leaves a record that it has created. */
function isUnfinished({ kind }: Change, change: FieldChange): boolean {
  if (!('before' in change)) return change.removed.length === 0;
  const { field, before } = change;
  if (KINDS[kind].contents.includes(field))
    return before === null || isDeepStrictEqual(before, EMPTY_TEMPLATE);
  return (
    before === null || ((kind === 'orgUser' || kind === 'tenantUser') && ['role', 'isActive'].includes(field))
  );
}

/** Whether a change gives an owner back what an interrupted apply has raised. */
function isRestored({ raisesOwners, changes }: SavedPlan, change: Change): boolean {
  if (!raisesOwners || change.action !== 'update') return false;
  if (change.kind !== 'orgUser' && change.kind !== 'tenantUser') return false;
  const isResource = changes.some(({ kind }) => kind === 'dashboard' || kind === 'visual');
  return isResource && change.fields.every(({ field }) => field === 'role' || field === 'isActive');
}

const EMPTY_TEMPLATE = { datasets: [], relationships: [], calculatedFields: [] };

/**
 * Checks that a saved plan still applies: every present difference is one that the plan was made for, or what
 * an interrupted apply of it has left to do.
 *
 * @throws CommandError if anything else has changed since
 */
export function requireCurrent(plan: SavedPlan, present: readonly Change[]): void {
  const planned = new Set(plan.changes.flatMap(partsOf));
  const created = new Set(plan.changes.filter(({ action }) => action === 'create').map(addressOf));
  const isPlanned = (change: Change) =>
    partsOf(change).every((part) => planned.has(part)) ||
    isRestored(plan, change) ||
    (change.action === 'update' &&
      created.has(addressOf(change)) &&
      change.fields.every((field) => isUnfinished(change, field)));
  const foreign = present.find((change) => !isPlanned(change));
  if (foreign)
    throw new CommandError(
      EXIT_CODES.conflict,
      `The plan is stale: ${nameOf(foreign)} has changed since. Run gatehouse plan again`,
    );
}
