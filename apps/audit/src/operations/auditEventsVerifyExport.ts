import { AuditEvent, AuditHead } from '@gatehouse/contract';
import type { Sealer } from '@gatehouse/service';
import { z } from 'zod';
import { ChainCheck, type ChainReport, type FoundEntry } from '../logic/hashChainCheck.js';
import { judgeHead, type VerifySettings } from './auditEventsVerify.js';
import { sha256 } from './entriesAppend.js';

/** A file that is no export, or not a complete one. */
class UnreadableExportError extends Error {
  override readonly name = 'UnreadableExportError';
}

/** The last line of an export. */
const Summary = z.object({
  type: z.literal('summary'),
  organizationId: z.string(),
  isWhole: z.boolean(),
  head: AuditHead.nullable(),
  total: z.number().int(),
});
/** Any line; what it holds beside the type is looked at by type. */
const Line = z.looseObject({ type: z.enum(['auditEvent', 'progress', 'summary', 'error']) });
const Placed = z.looseObject({ sequence: z.number() });

async function* readLines(lines: AsyncIterable<string>): AsyncGenerator<z.infer<typeof Line>> {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text !== '') yield parseLine(text, number);
  }
}

function parseLine(text: string, number: number): z.infer<typeof Line> {
  try {
    return Line.parse(JSON.parse(text));
  } catch (cause) {
    throw new UnreadableExportError(`line ${number} is not of an export as NDJSON`, { cause });
  }
}

async function findSummary(lines: AsyncIterable<string>): Promise<z.infer<typeof Summary>> {
  let last: z.infer<typeof Line> | undefined;
  for await (const line of readLines(lines)) last = line;
  const summary = Summary.safeParse(last);
  if (!summary.success) throw new UnreadableExportError('it does not end with the summary of an export');
  return summary.data;
}

function foundIn(value: unknown): FoundEntry {
  const entry = AuditEvent.safeParse(value);
  if (entry.success) return { entry: entry.data, sequence: entry.data.sequence };
  const placed = Placed.safeParse(value);
  return { entry: null, sequence: placed.success ? placed.data.sequence : Number.NaN };
}

/**
 * Verifies an export as NDJSON, in bounded memory. What an export with filters leaves out is no fault. The head's seal is
 * looked at where there is a `sealer`.
 *
 * @param openLines gives the lines of the file from its beginning; it is called twice, as the summary comes last
 * @throws UnreadableExportError for what is no complete export
 */
export async function verifyExport(
  openLines: () => AsyncIterable<string>,
  { sealer, earlier, onProgress }: Omit<VerifySettings, 'sealer'> & { sealer: Sealer | null },
): Promise<ChainReport & { isWhole: boolean }> {
  const { organizationId, isWhole, head, total } = await findSummary(openLines());
  const found = sealer ? judgeHead(organizationId, head, sealer) : { head };
  const check = new ChainCheck(organizationId, found, {
    digest: sha256,
    isWhole,
    total,
    earlier: earlier?.get(organizationId),
  });
  let count = 0;
  for await (const line of readLines(openLines())) {
    if (line.type !== 'auditEvent') continue;
    check.add(foundIn(line['auditEvent']));
    count += 1;
    if (count % 10_000 === 0) onProgress?.(organizationId, count);
  }
  return { ...check.report(), isWhole };
}
